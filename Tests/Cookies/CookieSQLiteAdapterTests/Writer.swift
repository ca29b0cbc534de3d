import CookieTestSupport
import Foundation

/// A running `cookie-store-writer` process.
struct Writer {
  private let process = Process()
  private let output = Pipe()

  /// Starts a process that stores `count` cookies whose names begin with `prefix`.
  ///
  /// - Parameters:
  ///   - fileSize: The maximum size of a file in bytes; 0 for no limit.
  ///   - user: The user id to run as.
  ///   - mode: `flush` to flush the store after each cookie, `paced` to pause after each, so that
  ///     others get the file's lock soon, `salvage` to salvage the file instead.
  init(
    _ path: String, prefix: String, count: Int, host: String = "example.com",
    perDomain: Int = .max, fileSize: Int = 0, user: Int? = nil, mode: String? = nil
  ) throws {
    process.executableURL = productExecutable("cookie-store-writer", builtWith: Anchor.self)
    process.arguments =
      [path, prefix, "\(count)", host, "\(perDomain)", "\(fileSize)", "\(user ?? -1)"]
      + (mode.map { [$0] } ?? [])
    process.standardOutput = output
    try process.run()
  }

  /// Kills the process (SIGKILL).
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the first line of the output, `0`, which ``lines()`` then leaves out.
  func first() async -> String {
    await onSeparateThread { [output] in
      String(decoding: output.fileHandleForReading.readData(ofLength: 2), as: UTF8.self)
    }
  }

  /// Waits for the exit and returns the complete lines of the output.
  func lines() async -> [Substring] {
    let data = await onSeparateThread { [process, output] in
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return data
    }
    let text = String(decoding: data, as: UTF8.self)
    return text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n")
  }

  var isRunning: Bool { process.isRunning }

  var exitCode: Int32 { process.terminationStatus }

  /// A class of this target, to find its bundle.
  private final class Anchor {}
}
