import SystemLocks

/// A navigator with a stack of screens. The root screen cannot be removed.
public final class StackNavigator: Navigator {
  private let stack: Mutex<[Screen]>
  private let root: Screen
  private let render: @Sendable ([Screen]) -> Void

  /// Creates a stack that holds the root screen.
  ///
  /// - Parameters:
  ///   - root: The screen at the bottom.
  ///   - render: Called with the whole stack after each change. Calls are serialised, in the order
  ///     of the changes, and made under the navigator's lock: a call back into the navigator
  ///     deadlocks.
  public init(root: Screen, render: @escaping @Sendable ([Screen]) -> Void = { _ in }) {
    self.root = root
    self.render = render
    stack = Mutex([])
  }

  public func show(_ screen: Screen) {
    stack.withLock { stack in
      stack.append(screen)
      render([root] + stack)
    }
  }

  /// Removes the topmost screen, unless it is the root.
  ///
  /// - Returns: Whether a screen was removed.
  @discardableResult
  public func goBack() -> Bool {
    stack.withLock { stack in
      guard stack.popLast() != nil else { return false }
      render([root] + stack)
      return true
    }
  }

  /// The screens from the root to the visible one.
  public var screens: [Screen] { stack.withLock { [root] + $0 } }
}
