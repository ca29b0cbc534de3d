import Foundation

/// One run of the `contracts` tool, in a folder of its own.
struct ToolRun {
  /// The exit status.
  var status: Int32
  /// What it printed.
  var output: String
  /// What it complained of.
  var complaint: String

  /// Runs the tool.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments; journals by the names of `files`.
  ///   - files: Files to put into its folder first; those of `bin` are programs.
  ///   - input: What it reads.
  ///   - environment: Variables to add.
  init(
    _ arguments: [String], files: [String: String] = [:], input: String? = nil,
    environment: [String: String] = [:]
  ) async throws {
    let folder = try ToolFolder(files: files)
    defer { folder.remove() }
    try await self.init(arguments, in: folder, input: input, environment: environment)
  }

  /// Runs the tool in a folder that is there.
  init(
    _ arguments: [String], in toolFolder: ToolFolder, input: String? = nil,
    environment: [String: String] = [:]
  ) async throws {
    let folder = toolFolder.url
    let process = toolFolder.process(arguments, environment: environment)
    if let input {
      let file = folder.appendingPathComponent(".in")
      try Data(input.utf8).write(to: file)
      process.standardInput = try FileHandle(forReadingFrom: file)
    }
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

/// A folder for the tool to run in.
struct ToolFolder {
  let url: URL

  /// The program of these tests.
  static let testProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

  /// Makes a folder with files in it; those of `bin` are programs.
  init(files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("tool-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      if name.hasPrefix("bin/") { chmod(file.path, 0o755) }
    }
  }

  /// Removes the folder and all that is in it.
  func remove() { try? FileManager.default.removeItem(at: url) }

  /// The tool, which stands beside the test program, about to run here; its own `bin` comes first.
  func process(_ arguments: [String], environment: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = Self.testProgram.deletingLastPathComponent()
      .appendingPathComponent("contracts")
    process.arguments = arguments
    process.currentDirectoryURL = url
    process.standardInput = FileHandle.nullDevice
    var variables = ProcessInfo.processInfo.environment
    for name in variables.keys where name.hasPrefix("CONTRACT") { variables[name] = nil }
    variables["NO_COLOR"] = nil
    variables["PATH"] = "\(url.path)/bin:\(variables["PATH"] ?? "/usr/bin:/bin")"
    process.environment = variables.merging(environment) { $1 }
    return process
  }
}
