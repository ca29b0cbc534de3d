import SystemLocks

/// A navigator that records the screens it is asked to show, for tests.
public final class NavigatorSpy: Navigator {
  private let log = Mutex<[Screen]>([])

  /// Creates a spy without screens.
  public init() {}

  public func show(_ screen: Screen) { log.withLock { $0.append(screen) } }

  /// The screens passed to ``show(_:)``, in the order of the calls.
  public var screens: [Screen] { log.withLock(\.self) }
}
