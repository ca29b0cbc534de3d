import CSlowNames

/// Host names that resolve to 127.0.0.1 after a delay.
///
/// CSlowNames replaces `getaddrinfo` in the test executable, where the dynamic linker finds it
/// before the C library's, and calls that one for all other names. Darwin binds each library to its
/// own symbols, so there these names don't resolve.
enum SlowNames {
  static func host(resolvingAfter duration: Duration) -> String {
    slow_names_enable()
    let milliseconds = max(0, duration.pollMilliseconds - 1)
    return "after-\(milliseconds)-ms.slow.invalid"
  }
}
