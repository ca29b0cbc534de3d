import Foundation

/// A running `cookie-store-writer`.
struct Writer {
  private let process = Process()
  private let output = Pipe()

  /// Starts one that stores `count` cookies whose names begin with `prefix`.
  ///
  /// - Parameters:
  ///   - fileSize: The most octets that a file may get; 0 for no limit.
  ///   - user: The user to become.
  init(
    _ path: String, prefix: String, count: Int, host: String = "example.com",
    perDomain: Int = .max, fileSize: Int = 0, user: Int? = nil
  ) throws {
    // On Linux the bundle is the folder of products, elsewhere it lies in that folder.
    let bundle = Bundle(for: Anchor.self).bundleURL
    let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    process.executableURL = products.appending(path: "cookie-store-writer")
    process.arguments =
      [path, prefix, "\(count)", host, "\(perDomain)", "\(fileSize)"]
      + (user.map { ["\($0)"] } ?? [])
    process.standardOutput = output
    try process.run()
  }

  /// Ends it wherever it is (SIGKILL).
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for its end, and returns its lines, the last only if it is whole.
  ///
  /// Waits on a thread of its own: those of the tasks are few, and others need them.
  func lines() async -> [Substring] {
    let data = await withCheckedContinuation { continuation in
      Thread { [process, output] in
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        continuation.resume(returning: data)
      }.start()
    }
    let text = String(decoding: data, as: UTF8.self)
    return text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n")
  }

  var exitCode: Int32 { process.terminationStatus }

  private final class Anchor {}
}
