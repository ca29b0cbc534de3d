import Foundation

/// One run of the `contracts` tool, in a folder of its own.
struct ToolRun {
  /// The exit status.
  var status: Int32
  /// What it printed.
  var output: String
  /// What it complained of.
  var complaint: String

  /// The tool, which stands beside the test program.
  private static let executable = URL(fileURLWithPath: "/proc/self/exe")
    .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("contracts")

  /// Runs the tool.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments; journals by the names of `files`.
  ///   - files: Files to put into its folder first.
  init(_ arguments: [String], files: [String: String] = [:]) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tool-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    let out = folder.appendingPathComponent(".out")
    let err = folder.appendingPathComponent(".err")
    for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    let end = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.continuation.finish() }
    try process.run()
    for await _ in end.stream {}
    status = process.terminationStatus
    output = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    complaint = String(decoding: try Data(contentsOf: err), as: UTF8.self)
  }
}
