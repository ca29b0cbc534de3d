import ContractEvidence
import Foundation

extension RunSummary {
  /// The code and the machine of this process, determined once.
  ///
  /// The commit is that of the working directory. `CONTRACT_COMMIT` replaces it where no repository is
  /// checked out.
  package static let current: RunSummary = {
    var summary = RunSummary(
      platform: Platform.currentName,
      versions: [
        "harness": packageVersion, "swift": swiftVersion,
        "os": ProcessInfo.processInfo.operatingSystemVersionString,
      ])
    if let commit = ProcessInfo.processInfo.environment["CONTRACT_COMMIT"], !commit.isEmpty {
      summary.commit = commit
    } else if let checkout = GitCheckout(in: FileManager.default.currentDirectoryPath) {
      summary.commit = checkout.commit
      summary.isDirty = checkout.isDirty
    }
    return summary
  }()

  /// The version of the compiler, as far as conditions tell.
  private static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3.3)
      "6.3.3 or later"
    #elseif compiler(>=6.3.2)
      "6.3.2"
    #elseif compiler(>=6.3.1)
      "6.3.1"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}

/// The commit that is checked out in a folder.
package struct GitCheckout: Sendable {
  /// The commit in hexadecimal digits.
  package var commit: String

  /// Whether files that git tracks differ from the commit.
  package var isDirty: Bool

  /// How long git may take before it is ended.
  private static let limit = Duration.seconds(5)

  /// Asks git(1); returns `nil` if it is not installed, does not answer in time or finds no commit, and
  /// on systems that can't start processes.
  package init?(in folder: String) {
    let output = ProgramOutput.of(
      [
        "git", "--no-optional-locks", "-C", folder, "status", "--porcelain=v2", "--branch",
        "--untracked-files=no", "--ignore-submodules=all",
      ], within: Self.limit)
    guard let output else { return nil }
    self.init(status: String(decoding: output, as: UTF8.self))
  }

  /// Reads the output of `git status --porcelain=v2 --branch` (git-status(1)).
  init?(status: String) {
    let lines = status.split(separator: "\n")
    let prefix = "# branch.oid "
    guard let head = lines.first(where: { $0.hasPrefix(prefix) })?.dropFirst(prefix.count),
      !head.isEmpty, head.allSatisfy(\.isHexDigit)
    else { return nil }
    commit = String(head)
    // Changed, renamed and unmerged files. Other lines are warnings on standard error.
    isDirty = lines.contains { line in ["1 ", "2 ", "u "].contains { line.hasPrefix($0) } }
  }
}
