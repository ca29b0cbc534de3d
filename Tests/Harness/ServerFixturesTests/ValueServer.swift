import Foundation
import ServerFixtures

/// The server of these tests.
enum ValueServer {
  /// The folder of this test program, which also has the server.
  private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  static let path = folder.appendingPathComponent("value-server").path

  static let arguments: @Sendable (ServerPlace) -> [String] = { ["\($0.port)"] }

  /// Arguments for `/bin/sh` that run a script with the server's path and port as `$1` and `$2`.
  static func script(_ text: String) -> @Sendable (ServerPlace) -> [String] {
    { ["-c", text, "sh", path, "\($0.port)"] }
  }

  /// Whether a process runs, and is not only waiting to be reaped.
  static func isRunning(_ process: pid_t) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text.map { !$0.contains(") Z ") } ?? false
  }
}
