import ContractEvidence
public import Foundation
import SystemLocks
import Testing

/// The lifetime of one fixture: it collects the actions that tear the fixture down after its case.
public final class FixtureScope: Sendable {
  private let actions = Mutex<[@Sendable () async throws -> Void]>([])
  let witnesses = Mutex<[Witness]>([])
  private let logs = Mutex<[(name: String, text: @Sendable () -> String)]>([])

  package init() {}

  /// Registers a teardown action.
  ///
  /// Actions run in reverse order of registration, and each runs whether or not others throw. An
  /// error fails the case, as a failure of the fixture and not of the clause.
  public func onTearDown(_ action: @escaping @Sendable () async throws -> Void) {
    actions.withLock { $0.append(action) }
  }

  /// Creates an empty folder for this case, and removes it during teardown.
  ///
  /// If the case runs in its own process, the folder is removed even if the process crashes or is
  /// killed. If the test process itself is killed, the next run removes the folder.
  /// - Returns: The folder, inside the system's temporary folder, with mode 0700.
  /// - Throws: Foundation's error if the folder can't be created.
  public func temporaryDirectory() throws -> URL {
    let folder = try LockedFolder()
    onTearDown { try folder.remove() }
    return folder.url
  }

  /// Attaches a text to the case if the case fails, such as the log of a server.
  ///
  /// Swift Testing writes attachments to the folder of `swift test --attachments-path`.
  ///
  /// - Parameters:
  ///   - name: The name of the file to write.
  ///   - text: Returns the text. It is called before teardown.
  public func attachOnFailure(_ name: String, _ text: @escaping @Sendable () -> String) {
    logs.withLock { $0.append((name, text)) }
  }

  /// The texts that were registered, as they are now.
  package var logTexts: [(name: String, text: String)] {
    logs.withLock(\.self).map { ($0.name, $0.text()) }
  }

  /// Attaches the texts that were registered.
  func attachLogs(at location: SourceLocation) {
    for log in logTexts {
      Attachment.record(log.text, named: log.name, sourceLocation: location)
    }
  }

  /// Runs all teardown actions, and returns the errors that they threw.
  package func tearDown() async -> [any Error] {
    var errors: [any Error] = []
    while let action = actions.withLock({ $0.popLast() }) {
      do { try await action() } catch { errors.append(error) }
    }
    return errors
  }
}

extension FixtureScope {
  /// Names a part of the real thing that the clauses must change, so that reports can tell a live
  /// implementation from a fake in its place.
  ///
  /// The harness takes a sample when the fixture is made, and another after the clause. A case that changes
  /// a sample *touches* the real thing. A single case may only read. If no case of a live implementation
  /// touches the real thing, its results are no evidence: its clauses are *unproven*, and the gate fails.
  ///
  ///     static let sqlite = live("sqlite") { scope in
  ///       let file = try scope.temporaryDirectory().appending(path: "cookies.sqlite")
  ///       scope.witness("the database file") { try Data(contentsOf: file) }
  ///       return try SQLiteCookieStore(path: file.path)
  ///     }
  ///
  /// Take the sample without the adapter: from the file, the server or the SDK itself. Otherwise a fake can
  /// answer for it. Whoever writes the closure can still change what it reads; reports say how each column is
  /// witnessed. Stronger are ``witness(file:)``, ``witness(serverLog:)``, ``witness(_:printedBy:)`` and the proxy of
  /// `ServerFixtures`, which is a witness by itself.
  ///
  /// - Parameters:
  ///   - name: What is sampled, for reports: `the database file`.
  ///   - sample: Returns the state. An error is a state of its own, such as a file that does not exist yet.
  ///     It counts towards the case's time limit.
  public func witness<Sample: Hashable & Sendable>(
    _ name: String, _ sample: @escaping @Sendable () async throws -> Sample
  ) {
    addWitness(name, .closure, sample)
  }

  /// Names a file that the clauses must change. The harness reads it.
  ///
  /// - Parameter file: The file, which may be missing at first.
  public func witness(file: URL) {
    addWitness(file.lastPathComponent, .file) { try Data(contentsOf: file) }
  }

  /// Names the file that a server logs the implementation's requests to. The harness reads it.
  ///
  /// - Parameter file: The file, which may be missing at first.
  public func witness(serverLog file: URL) {
    addWitness(file.lastPathComponent, .serverLog) { try Data(contentsOf: file) }
  }

  /// Names a program whose output the clauses must change, because it reads what the implementation has written.
  ///
  ///     scope.witness("the rows", printedBy: ["sqlite3", file.path, "SELECT * FROM cookies"])
  ///
  /// - Parameters:
  ///   - name: What is printed, for reports.
  ///   - arguments: The program's name or path, and its arguments. It has 5 s.
  public func witness(_ name: String, printedBy arguments: [String]) {
    addWitness(name, .program) { ProgramOutput.of(arguments, within: .seconds(5)) }
  }

  /// Names a witness of some kind.
  package func addWitness<Sample: Hashable & Sendable>(
    _ name: String, _ kind: WitnessKind, _ sample: @escaping @Sendable () async throws -> Sample
  ) {
    witnesses.withLock {
      $0.append(Witness(name: name, kind: kind) { (try? await sample()).map(WitnessSample.init) })
    }
  }
}

/// A part of the real thing that is sampled before and after a clause.
struct Witness: Sendable {
  var name: String
  var kind: WitnessKind
  var sample: @Sendable () async -> WitnessSample?
}

/// A sample of any type.
struct WitnessSample: Equatable, Sendable {
  private let value: any Hashable & Sendable

  init(_ value: some Hashable & Sendable) { self.value = value }

  static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.value) == AnyHashable(other.value)
  }
}
