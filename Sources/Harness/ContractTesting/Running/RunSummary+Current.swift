import CPlatform
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
    #else
      "6.3"
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
    let arguments = [
      "env", "git", "--no-optional-locks", "-C", folder, "status", "--porcelain=v2", "--branch",
      "--untracked-files=no", "--ignore-submodules=all",
    ]
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var process: pid_t = 0
    let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let code = withCStrings(arguments) { arguments in
      withCStrings(variables) { variables in
        platform_spawn(&process, "/usr/bin/env", arguments, variables, -1, ends[1])
      }
    }
    close(ends[1])
    guard code == 0 else { return nil }
    let output = Self.readToEnd(ends[0], within: Self.limit)
    if output == nil { kill(process, SIGKILL) }
    var signal: Int32 = 0
    guard platform_exit_of(process, &signal) == 0, signal == 0, let output else { return nil }
    self.init(status: String(decoding: output, as: UTF8.self))
  }

  /// Reads a pipe to its end; returns `nil` if that takes longer than the limit.
  private static func readToEnd(_ descriptor: Int32, within limit: Duration) -> [UInt8]? {
    let end = ContinuousClock.now + limit
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      guard left > .zero else { return nil }
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&readable, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return output }
      if count > 0 { output += chunk[..<count] }
    }
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
