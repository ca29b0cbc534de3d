import Dispatch

/// A semaphore for subjects that block their thread.
enum NeverSignalled {
  /// A wait for it never returns.
  static let semaphore = DispatchSemaphore(value: 0)
}
