import ContractEvidence
import Foundation

extension RunSummary {
  /// The code and the machine of this process, determined once.
  ///
  /// The commit is that of the working directory. `CONTRACT_COMMIT` replaces it where no repository is
  /// checked out.
  static let current: RunSummary = {
    var summary = RunSummary(
      platform: Platform.currentName,
      versions: [
        "harness": harnessVersion, "swift": swiftVersion,
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

  /// The version of this package.
  private static let harnessVersion = "unreleased"

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
    #else
      "6.3"
    #endif
  }
}
