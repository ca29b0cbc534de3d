import SystemLocks

/// A navigator over a stack of screens, which never loses its first one.
public final class StackNavigator: Navigator {
  private let stack: Mutex<[Screen]>
  private let root: Screen
  private let render: @Sendable ([Screen]) -> Void

  /// Shows a first screen.
  ///
  /// - Parameters:
  ///   - root: The screen at the bottom.
  ///   - render: Called with the whole stack after each change, one change at a time and in order;
  ///     it must not navigate itself.
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

  /// Takes the topmost screen away.
  ///
  /// - Returns: Whether there was one beside the first.
  @discardableResult
  public func goBack() -> Bool {
    stack.withLock { stack in
      guard stack.popLast() != nil else { return false }
      render([root] + stack)
      return true
    }
  }

  /// The screens from the bottom to the one that is seen.
  public var screens: [Screen] { stack.withLock { [root] + $0 } }
}
