import CSlowNames

/// Host names of 127.0.0.1 whose lookup takes a stated time, by a stand-in for `getaddrinfo`.
///
/// The stand-in is part of the test's executable, where the dynamic linker finds it before the C
/// library's, which it calls for all other names. On Darwin libraries are bound to their own
/// symbols, so there such a name is simply unknown.
enum SlowNames {
  static func host(resolvingAfter duration: Duration) -> String {
    slow_names_enable()
    let milliseconds = max(0, duration.pollMilliseconds - 1)
    return "after-\(milliseconds)-ms.slow.invalid"
  }
}
