import Foundation

/// The process of a server that ends when this process ends, even if this process crashes.
final class ServerProcess: Sendable {
  /// The standard input of the shell that runs the server; closing it ends the server.
  private let shellInput = Pipe()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The path of the program and its arguments.
  ///   - output: Receives the standard output and standard error of the program.
  /// - Throws: An error if the shell can't be started.
  init(_ command: [String], output: FileHandle) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The shell kills the server when its input ends. SIGKILL, because the server may have inherited
    // ignored signals.
    process.arguments = ["-c", "\"$@\" </dev/null & read -r _; kill -9 $!", "sh"] + command
    process.standardInput = shellInput
    process.standardOutput = output
    process.standardError = output
    try process.run()
  }

  deinit {
    end()
  }

  /// Ends the server. Calling it again has no effect.
  func end() {
    try? shellInput.fileHandleForWriting.close()
  }

  /// Returns the path of a program; `nil` if no folder of `PATH`, nor one for servers, has it.
  static func path(of program: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // Debian installs servers in /usr/sbin, which is not in the PATH of every user.
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
    return folders.map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
