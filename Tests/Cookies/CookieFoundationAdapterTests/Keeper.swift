import CookiePort
import Foundation

/// A running `foundation-cookie-keeper`, which ends with the object.
final class Keeper: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts one.
  ///
  /// - Parameters:
  ///   - data: Its data folder, in which Foundation puts its file.
  ///   - folder: The folder from which it runs; that of the test products if not given.
  init(data: URL, from folder: URL? = nil) throws {
    // On Linux the bundle is the folder of products, elsewhere it lies in that folder.
    let bundle = Bundle(for: Keeper.self).bundleURL
    let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
    var executable = products.appending(path: "foundation-cookie-keeper")
    if let folder {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let copy = folder.appending(path: "keeper")
      try FileManager.default.copyItem(at: executable, to: copy)
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

  /// Lets it end, as its input does, and waits for that.
  func end() async throws {
    try input.fileHandleForWriting.close()
    await onThread { $0.process.waitUntilExit() }
  }

  /// Stores a cookie, and lists all.
  @discardableResult
  func store(_ line: String) async throws -> [Cookie] { try await answer(to: line) }

  /// Lists all cookies.
  func list() async throws -> [Cookie] { try await answer(to: "list") }

  private func answer(to line: String) async throws -> [Cookie] {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    let answer = await onThread { keeper in
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        let more = keeper.output.fileHandleForReading.availableData
        guard !more.isEmpty else { break }
        line += more
      }
      return line
    }
    return try JSONDecoder().decode([Cookie].self, from: answer)
  }

  /// Waits on a thread of its own: those of the tasks are few, and others need them.
  private func onThread<Result: Sendable>(
    _ wait: @escaping @Sendable (Keeper) -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: wait(self)) }.start()
    }
  }
}
