import Foundation

/// A program that runs to its end.
enum ToolProcess {
  /// What a program printed.
  struct Result {
    var status: Int32
    var output: Data
    var errors: Data

    /// Both outputs as text.
    var text: String { String(decoding: output + errors, as: UTF8.self) }
  }

  /// Runs a program, found in `PATH` unless it is a path.
  ///
  /// - Throws: ``MutationError`` if it can't be started.
  static func run(
    _ arguments: [String], in folder: String, environment added: [String: String] = [:]
  ) throws(MutationError) -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(added) { $1 }
    process.standardInput = FileHandle.nullDevice
    let base = FileManager.default.temporaryDirectory
      .appendingPathComponent("mutation-\(UUID().uuidString)")
    // Files and not pipes: a full pipe would block a program that prints megabytes.
    let paths = [base.appendingPathExtension("out"), base.appendingPathExtension("err")]
    defer { for path in paths { try? FileManager.default.removeItem(at: path) } }
    do {
      for path in paths { try Data().write(to: path) }
      process.standardOutput = try FileHandle(forWritingTo: paths[0])
      process.standardError = try FileHandle(forWritingTo: paths[1])
      try process.run()
      process.waitUntilExit()
      return Result(
        status: process.terminationReason == .exit
          ? process.terminationStatus : 128 + process.terminationStatus,
        output: try Data(contentsOf: paths[0]), errors: try Data(contentsOf: paths[1]))
    } catch {
      throw MutationError("can't run \(arguments.joined(separator: " ")): \(error)")
    }
  }
}
