import Foundation

/// The commit that is checked out in a folder.
package struct GitCheckout: Sendable {
  /// The commit in hexadecimal digits.
  package var commit: String

  /// Whether files that git tracks differ from the commit.
  package var isDirty: Bool

  /// How long git may take before it is ended, in seconds.
  private static let limit = 5.0

  /// Asks git(1); returns `nil` if it is not installed, does not answer in time or finds no commit, and
  /// on systems that can't start processes.
  package init?(in folder: String) {
    #if os(macOS) || os(Linux) || os(Windows)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [
        "git", "--no-optional-locks", "-C", folder, "status", "--porcelain=v2", "--branch",
        "--untracked-files=no", "--ignore-submodules=all",
      ]
      let output = Pipe()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return nil }
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.schedule(deadline: .now() + Self.limit)
      timer.setEventHandler { process.terminate() }
      timer.resume()
      defer { timer.cancel() }
      let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
      process.waitUntilExit()
      guard process.terminationStatus == 0, let data else { return nil }
      self.init(status: String(decoding: data, as: UTF8.self))
    #else
      return nil
    #endif
  }

  /// Reads the output of `git status --porcelain=v2 --branch` (git-status(1)).
  init?(status: String) {
    let lines = status.split(separator: "\n")
    let prefix = "# branch.oid "
    guard let head = lines.first(where: { $0.hasPrefix(prefix) })?.dropFirst(prefix.count),
      !head.isEmpty, head.allSatisfy(\.isHexDigit)
    else { return nil }
    commit = String(head)
    isDirty = lines.contains { !$0.hasPrefix("#") }
  }
}
