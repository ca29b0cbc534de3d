import Foundation

/// The path of a program, or `nil` if no folder of `PATH`, nor one for servers, has it.
///
/// - Parameter program: A name, or a path, which is returned if it is executable.
package func executablePath(of program: String) -> String? {
  if program.contains("/") {
    return FileManager.default.isExecutableFile(atPath: program) ? program : nil
  }
  let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
  // Debian installs servers in /usr/sbin, which is not in the PATH of every user.
  let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
  return folders.map { "\($0)/\(program)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
