import Foundation

/// Another process of this test program, which runs one test that starts servers, and is killed.
///
/// The test prints a line for each server: `server PID FOLDER PORT`.
final class ServerOwner: Sendable {
  struct StartedServer: Hashable {
    var process: pid_t
    var folder: String
    var port: UInt16
  }

  /// The variable that has ``id``, in the owner and in every process that it starts.
  static let variable = "SERVER_OWNER"

  /// Identifies the owner's processes.
  let id = UUID().uuidString
  /// The owner's folder for temporary files, which are the servers' folders.
  let folder: URL

  private let process = Process()
  private let pieces: AsyncStream<Data>

  /// The id of the owner of this process, or `nil` if it was not started by one.
  static var current: String? { ProcessInfo.processInfo.environment[variable] }

  /// Prints the line of a server in one system call.
  static func announce(_ server: StartedServer) {
    let line = Array("server \(server.process) \(server.folder) \(server.port)\n".utf8)
    _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }

  /// Starts a process.
  ///
  /// - Parameter test: The name of the test, for `--filter`.
  init(running test: String) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("owner-\(id)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--testing-library", "swift-testing", "--filter", test]
    process.environment = ProcessInfo.processInfo.environment
      .merging([Self.variable: id, "TMPDIR": folder.path]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    pieces = AsyncStream { continuation in
      output.fileHandleForReading.readabilityHandler = { handle in
        let data = handle.availableData
        continuation.yield(data)
        guard data.isEmpty else { return }
        handle.readabilityHandler = nil
        continuation.finish()
      }
    }
    try process.run()
  }

  deinit {
    kill(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Waits until the owner has announced a number of servers, sends it a signal, and returns all that it
  /// announced. Without a signal it returns what was announced until then, and the owner goes on.
  func servers(untilSending signal: Int32?, after count: Int) async -> [StartedServer] {
    var text = Data()
    for await piece in pieces {
      text += piece
      guard text.count(where: { $0 == 0x0a }) >= count else { continue }
      guard let signal else { break }
      kill(signal)
    }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, words[0] == "server", let id = pid_t(words[1]),
        let port = UInt16(words[3])
      else { return nil }
      return StartedServer(process: id, folder: String(words[2]), port: port)
    }
  }

  /// The ids of all processes that have the owner's variable.
  ///
  /// Only a process can hold a port, so without a process there is no port left.
  func leftProcesses() throws -> [pid_t] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { name in
      guard let id = pid_t(name), ValueServer.isRunning(id),
        let variables = FileManager.default.contents(atPath: "/proc/\(name)/environ")
      else { return nil }
      return variables.range(of: Data("\(Self.variable)=\(self.id)".utf8)) == nil ? nil : id
    }
  }

  private func kill(_ signal: Int32) {
    if process.isRunning { Foundation.kill(process.processIdentifier, signal) }
  }
}
