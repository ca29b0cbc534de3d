import Foundation

/// A program that ran to its end: how it ended, and what it printed.
package struct ProgramRun: Sendable {
  /// The exit status, or the negative number of the signal that ended the program.
  package let status: Int32
  package let standardOutput: Data
  package let standardError: Data

  package var output: String { String(decoding: standardOutput, as: UTF8.self) }
  package var errors: String { String(decoding: standardError, as: UTF8.self) }

  /// The standard output and then the standard error.
  package var text: String { output + errors }

  /// Runs a program, and blocks the thread until it ends.
  ///
  /// - Parameters:
  ///   - command: The program, found in `PATH` unless it is a path, and its arguments.
  ///   - folder: The working directory; by default that of this process.
  ///   - environment: The variables; by default those of this process.
  ///   - input: The standard input.
  package init(
    _ command: [String], in folder: String? = nil, environment: [String: String]? = nil,
    input: String = ""
  ) throws {
    let program = try Self.prepare(command, folder, environment, input)
    defer { program.removeFiles() }
    try program.process.run()
    program.process.waitUntilExit()
    try self.init(program)
  }

  /// Runs a program, and suspends the task until it ends.
  package init(
    _ command: [String], in folder: String? = nil, environment: [String: String]? = nil,
    input: String = ""
  ) async throws {
    let program = try Self.prepare(command, folder, environment, input)
    defer { program.removeFiles() }
    let end = AsyncStream<Void>.makeStream()
    program.process.terminationHandler = { _ in end.continuation.finish() }
    try program.process.run()
    for await _ in end.stream {}
    try self.init(program)
  }

  private init(_ program: Prepared) throws {
    let status = program.process.terminationStatus
    self.status = program.process.terminationReason == .exit ? status : -status
    standardOutput = try Data(contentsOf: program.files[1])
    standardError = try Data(contentsOf: program.files[2])
  }

  private struct Prepared {
    let process: Process
    /// The standard input, output and error. A full pipe would block a program that prints megabytes.
    let files: [URL]

    func removeFiles() { for file in files { try? FileManager.default.removeItem(at: file) } }
  }

  private static func prepare(
    _ command: [String], _ folder: String?, _ environment: [String: String]?, _ input: String
  ) throws -> Prepared {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.environment = environment
    let base = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID().uuidString)")
    let files = ["in", "out", "err"].map { base.appendingPathExtension($0) }
    for (file, text) in zip(files, [input, "", ""]) { try Data(text.utf8).write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: files[0])
    process.standardOutput = try FileHandle(forWritingTo: files[1])
    process.standardError = try FileHandle(forWritingTo: files[2])
    return Prepared(process: process, files: files)
  }
}
