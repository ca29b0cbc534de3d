import CPlatform
import CookiePort
import CookieSQLiteAdapter
import Foundation

/// Stores cookies in a file one by one and acknowledges each on standard output. Tests kill it,
/// limit its resources and run several at the same time.
///
/// Usage: `cookie-store-writer FILE PREFIX COUNT [HOST [PER-DOMAIN [FILE-SIZE [UID [MODE]]]]]`. The
/// cookies are named `PREFIX0`, `PREFIX1`, …; each value has about 1,000 bytes and begins with the
/// number. The limit on the size of files (setrlimit(2)) and the user apply before the file is
/// opened; a UID of -1 is the present user. In the mode `flush` each cookie is flushed before it is
/// acknowledged; in the mode `paced` 5 ms pass after each; in the mode `salvage` the file is salvaged
/// instead. The exit code is 0, or 1 after a line `failed: ` with the kind and description of the
/// failure.
@main
enum CookieStoreWriter {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3, let count = Int(arguments[2]) else { exit(64) }
    let host = arguments.count > 3 ? arguments[3] : "example.com"
    let perDomain = arguments.count > 4 ? Int(arguments[4]) : nil
    if arguments.count > 5, let size = UInt64(arguments[5]), size > 0 {
      signal(SIGXFSZ, SIG_IGN)
      guard platform_limit_file_size(size) == 0 else { exit(71) }
    }
    if arguments.count > 6, let user = uid_t(arguments[6]) {
      guard setgid(user) == 0, setuid(user) == 0 else { exit(77) }
    }
    let mode = arguments.dropFirst(7).first
    do throws(CookieStoreError) {
      if mode == "salvage" {
        _ = try SQLiteCookieStore.salvage(path: arguments[0])
        return
      }
      try write(
        count, to: arguments[0], prefix: arguments[1], host: host, perDomain: perDomain ?? .max,
        mode: mode)
    } catch {
      if case .storage(let failure) = error { say("failed: \(failure.kind.rawValue) \(failure)") }
      exit(1)
    }
  }

  private static func write(
    _ count: Int, to path: String, prefix: String, host: String, perDomain: Int, mode: String?
  ) throws(CookieStoreError) {
    let store = try SQLiteCookieStore(
      path: path, policy: CookiePolicy(limits: .init(perDomain: perDomain, total: .max)),
      busyTimeout: .seconds(60))
    guard let request = try? CookieRequest(isSecure: true, host: host) else { exit(65) }
    let padding = String(repeating: ".", count: 1000)
    for number in 0..<count {
      try store.store("\(prefix)\(number)=\(number)\(padding); Max-Age=86400", from: request)
      if mode == "flush" { try store.flush() }
      say("\(number)")
      if mode == "paced" { usleep(5000) }
    }
  }

  /// Writes a line in one unbuffered system call, so that it is out if the process is killed next.
  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
  }
}
