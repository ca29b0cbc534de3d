import ContractTesting
import CrashExploration
import FilesDiskAdapter
import FilesPort
import Foundation
import SystemLocks
import Testing

/// What is on the disk after a crash at every point of an atomic write.
@Suite struct FilesCrashTests {
  @Test func `an atomic write leaves the old or the new content, also in a power loss`()
    async throws
  {
    try await exploreCrashes(
      FilesSpecification(), on: .atomic, settings: .init(runs: 2, steps: 10))
  }

  /// Otherwise the first test would show nothing.
  @Test func `another write is found torn`() async throws {
    let messages = Mutex<[String]>([])
    try await withKnownIssue {
      try await exploreCrashes(
        FilesSpecification(), on: .replacing, commands: [.write("a", 3000), .write("a", 1)])
    } matching: { issue in
      messages.withLock { $0 += issue.comments.map(\.rawValue) }
      return true
    }
    #expect(messages.withLock(\.self).joined().contains("the reopened subject has the state after"))
  }
}

extension Implementation<Reopenable<WrittenFiles>> {
  fileprivate static let atomic = disk("disk", .atomically)
  fileprivate static let replacing = disk("disk-replacing", .replacing)

  private static func disk(_ id: String, _ mode: WriteMode) -> Self {
    live(id) { _ in
      Reopenable { folder, _ in WrittenFiles(files: try DiskFiles(root: folder.path), mode: mode) }
    }
  }
}

/// Files that are all written in one way.
struct WrittenFiles: Sendable {
  var files: DiskFiles
  var mode: WriteMode
}

struct FilesSpecification: PersistentSpecification {
  typealias State = [String: Int]

  enum Command: Hashable, Sendable, CustomStringConvertible {
    /// Writes a number of bytes, which are all that number.
    case write(String, Int)
    case all

    var description: String {
      switch self {
      case .write(let name, let count): "write(\(name.debugDescription), \(count))"
      case .all: "all"
      }
    }
  }

  enum Response: Hashable, Sendable {
    case done
    case files([String: Int])
  }

  var initialState: State { [:] }
  var probes: [Command] { [.all] }

  func isReadOnly(_ command: Command) -> Bool { command == .all }

  func command(from choices: inout Choices, in state: State) -> Command {
    if choices.rule(weights: [4, 1]) == 1 { return .all }
    let name = choices.element(of: ["a", "b"], domain: "name") ?? "a"
    return .write(name, choices.element(of: [0, 1, 700, 3000]) ?? 1)
  }

  func apply(_ command: Command, to state: inout State) -> Response {
    switch command {
    case .write(let name, let count):
      state[name] = count
      return .done
    case .all: return .files(state)
    }
  }

  func perform(_ command: Command, on subject: WrittenFiles) async throws -> Response {
    switch command {
    case .write(let name, let count):
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
      try subject.files.write(bytes, to: name, subject.mode)
      return .done
    case .all:
      var found: [String: Int] = [:]
      // A crash may leave the file that was being written.
      for name in try subject.files.list(".") where !name.hasPrefix(".write-") {
        let bytes = try subject.files.read(name)
        let isWhole = bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: bytes.count) }
        found[name] = isWhole ? bytes.count : -1
      }
      return .files(found)
    }
  }
}
