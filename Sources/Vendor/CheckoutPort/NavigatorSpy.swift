import SystemLocks

/// A navigator that shows nothing and tells what it was asked for.
public final class NavigatorSpy: Navigator {
  private let log = Mutex<[Screen]>([])

  /// Makes a spy that was asked for nothing.
  public init() {}

  public func show(_ screen: Screen) { log.withLock { $0.append(screen) } }

  /// The screens that were asked for, in order.
  public var screens: [Screen] { log.withLock(\.self) }
}
