import CookiePort
import CookieTestSupport
import Foundation

/// A running `foundation-cookie-keeper` process, which ends when the object is released.
final class Keeper: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - data: The data directory for Foundation's file (`XDG_DATA_HOME`).
  ///   - directory: The directory to run it from; by default that of the test products.
  init(data: URL, from directory: URL? = nil) throws {
    var executable = productExecutable("foundation-cookie-keeper", builtWith: Keeper.self)
    if let directory {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let copy = directory.appending(path: "keeper")
      // A process of its own writes the copy. A file that this process writes cannot be executed while a
      // process that another test is starting still holds its descriptor: execve(2) fails with ETXTBSY.
      let copying = try Process.run(
        URL(filePath: "/bin/cp"), arguments: [executable.path, copy.path])
      copying.waitUntilExit()
      guard copying.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
      executable = copy
    }
    process.executableURL = executable
    process.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_DATA_HOME": data.path(percentEncoded: false)]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { try? input.fileHandleForWriting.close() }

  /// Closes the standard input, which ends the process, and waits for its exit.
  func end() async throws {
    try input.fileHandleForWriting.close()
    await onSeparateThread { self.process.waitUntilExit() }
  }

  /// Stores a cookie and returns all cookies.
  @discardableResult
  func store(_ line: String) async throws -> [Cookie] { try await answer(to: line) }

  /// Returns all cookies.
  func list() async throws -> [Cookie] { try await answer(to: "list") }

  private func answer(to line: String) async throws -> [Cookie] {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    let answer = await onSeparateThread {
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        let more = self.output.fileHandleForReading.availableData
        guard !more.isEmpty else { break }
        line += more
      }
      return line
    }
    return try JSONDecoder().decode([Cookie].self, from: answer)
  }
}
