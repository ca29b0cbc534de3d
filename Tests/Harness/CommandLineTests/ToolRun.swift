import Foundation
import SystemProcesses

/// One run of the `contracts` tool in a temporary folder.
struct ToolRun {
  /// The exit status.
  var status: Int32
  /// The standard output.
  var output: String
  /// The standard error.
  var errors: String

  /// Runs the tool.
  ///
  /// - Parameters:
  ///   - arguments: The arguments. Paths are relative to the folder.
  ///   - files: Files to create in the folder. Those in `bin` are executable.
  ///   - input: The standard input.
  ///   - environment: Environment variables to add.
  init(
    _ arguments: [String], files: [String: String] = [:], input: String? = nil,
    environment: [String: String] = [:]
  ) async throws {
    let folder = try ToolFolder(files: files)
    defer { folder.remove() }
    try await self.init(arguments, in: folder, input: input, environment: environment)
  }

  /// Runs the tool in an existing folder.
  init(
    _ arguments: [String], in toolFolder: ToolFolder, input: String? = nil,
    environment: [String: String] = [:]
  ) async throws {
    let run = try await ProgramRun(
      [ToolFolder.tool] + arguments, in: toolFolder.url.path,
      environment: toolFolder.variables(adding: environment), input: input ?? "")
    (status, output, errors) = (run.status, run.output, run.errors)
  }
}

/// A temporary folder in which the tool runs.
struct ToolFolder {
  let url: URL

  /// Creates a folder with files. Those in `bin` are executable.
  init(files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tool-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      if name.hasPrefix("bin/") { try makeExecutable(file) }
    }
  }

  /// Makes a file executable, in a copy that a process of its own writes.
  ///
  /// A file that this process has written cannot be executed while a process that another test is
  /// starting still holds its descriptor: execve(2) fails with ETXTBSY.
  private func makeExecutable(_ file: URL) throws {
    let copying = try ProgramRun([
      "sh", "-c", #"mv "$0" "$0.text" && cp "$0.text" "$0" && chmod 755 "$0" && rm "$0.text""#,
      file.path,
    ])
    guard copying.status == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Removes the folder and its contents.
  func remove() { try? FileManager.default.removeItem(at: url) }

  /// The path of the tool.
  static var tool: String { product("contracts") }

  /// The path of an executable product.
  static func product(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(name).path
  }

  /// The variables of this process without the harness's, with the folder's `bin` first in `PATH`.
  func variables(adding environment: [String: String] = [:]) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    for name in variables.keys where name.hasPrefix("CONTRACT") { variables[name] = nil }
    for name in ["NO_COLOR", "FORCE_COLOR", "COLUMNS"] { variables[name] = nil }
    variables["PATH"] = "\(url.path)/bin:\(variables["PATH"] ?? "/usr/bin:/bin")"
    return variables.merging(environment) { $1 }
  }
}
