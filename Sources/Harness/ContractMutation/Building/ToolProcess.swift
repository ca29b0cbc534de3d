import SystemProcesses

/// Programs of the toolchain and git(1).
enum ToolProcess {
  /// Runs a program to its end, found in `PATH` unless it is a path.
  ///
  /// - Throws: ``MutationError`` if it can't be started.
  static func run(_ command: [String], in folder: String) throws(MutationError) -> ProgramRun {
    do {
      return try ProgramRun(command, in: folder)
    } catch {
      throw MutationError("can't run \(command.joined(separator: " ")): \(error)")
    }
  }
}
