import Foundation

/// The lines that differ between a commit and the work tree, as git(1) says.
enum ChangedLines {
  /// Asks git.
  ///
  /// - Throws: ``MutationError`` if the package is in no repository or the commit is unknown.
  static func since(
    _ commit: String, in package: String
  ) throws(MutationError) -> [MutationOptions.Place] {
    let result = try ToolProcess.run(
      ["git", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative", commit, "--"],
      in: package)
    guard result.status == 0 else {
      throw MutationError("git can't compare the work tree with '\(commit)': \(result.text)")
    }
    return places(in: result.output)
  }

  /// Reads a diff without context lines.
  static func places(in diff: String) -> [MutationOptions.Place] {
    var file: String?
    var places: [MutationOptions.Place] = []
    for line in diff.split(separator: "\n") {
      if line.hasPrefix("+++ ") {
        file = line.hasPrefix("+++ b/") ? String(line.dropFirst(6)) : nil
      } else if let file, let match = line.prefixMatch(of: /@@ -\S+ \+(\d+)(?:,(\d+))? @@/),
        let first = Int(match.1)
      {
        let count = match.2.flatMap { Int($0) } ?? 1
        // Where lines are only removed, the lines around the gap count.
        let lines = count == 0 ? max(1, first)...(first + 1) : first...(first + count - 1)
        places.append(.init(file: file, lines: lines))
      }
    }
    return places
  }
}
