import ContractEvidence
import Foundation
import SystemLocks
import Testing

@testable import ContractTesting

/// A package's source files, and a contract whose declarations claim to be in them.
///
/// Its live implementations count their calls. Every file is older than the test program, as after a build.
final class LivePackage: Sendable {
  let root: URL

  /// The calls that the origin has received, as `clause@implementation`.
  private let received = Mutex<[String]>([])

  /// What the origin answers to the next calls; it answers 3 to every call after these.
  let answers = Mutex<[Int]>([])

  static let clauses = """
    import Testing

    let shop = Contract("shop", "Shop") {
      // The first clause.
      Clause("first", "it answers") { shop in
        #expect(try await shop.call("first") == 3, "a \\("brace }") in a string")
      }
      Clause("second", "it answers too") { shop in
        #expect(try await shop.call("second") == 3) // "
      }
    }

    private func helper() -> Int { 3 }

    """

  init() throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("package-\(UUID().uuidString)", isDirectory: true)
      .resolvingSymlinksInPath()
    try write("// manifest", to: "Package.swift")
    try write("// pins", to: "Package.resolved")
    try write(Self.clauses, to: "Tests/Shop/Clauses.swift")
    try write("let one = live(\"one\")", to: "Tests/Shop/Fixtures.swift")
    for name in ["One", "Two", "Other"] {
      try write("struct \(name) {}", to: "Sources/\(name)/\(name).swift")
    }
  }

  func remove() { try? FileManager.default.removeItem(at: root) }

  /// Writes a file, older than the test program unless a date is given.
  func write(
    _ text: String, to path: String, at date: Date = Date(timeIntervalSince1970: 1_000_000_000)
  ) throws {
    let file = root.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
  }

  /// Replaces some text of the clauses' file.
  func edit(_ old: String, to new: String) throws {
    #expect(Self.clauses.contains(old))
    try write(Self.clauses.replacing(old, with: new), to: "Tests/Shop/Clauses.swift")
  }

  // MARK: - Contract

  /// Where Swift says that a call is: at the parenthesis after a text in a file of the package.
  private func location(of text: String, in path: String) throws -> SourceLocation {
    let file = root.appendingPathComponent(path)
    let lines = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let line = try #require(lines.firstIndex { $0.contains(text) })
    let start = try #require(lines[line].range(of: text)).lowerBound
    let call = try #require(lines[line][start...].firstIndex(of: "("))
    return SourceLocation(
      fileID: "Shop/\(file.lastPathComponent)", filePath: file.path, line: line + 1,
      column: lines[line].utf8.distance(from: lines[line].startIndex, to: call) + 1)
  }

  func contract(
    _ ids: [String] = ["first", "second"], revision: Int = 1
  ) throws -> Contract<Shop> {
    let clauses = try ids.map { id in
      Clause<Shop>(
        id, "it answers",
        sourceLocation: try location(of: "Clause(\"\(id)\"", in: "Tests/Shop/Clauses.swift")
      ) { shop in
        let answer = try await shop.call(id)
        if answer == -1 { throw Refusal() }
        #expect(answer == 3, "the answer")
      }
    }
    return Contract("shop", "Shop", revision: revision) { clauses }
  }

  /// A live implementation that is declared in `Fixtures.swift`.
  func live(_ id: String) throws -> Implementation<Shop> {
    .live(id, sourceLocation: try location(of: "let one", in: "Tests/Shop/Fixtures.swift")) {
      Shop { clause in
        self.received.withLock { $0.append("\(clause)@\(id)") }
        return self.answers.withLock { $0.isEmpty ? 3 : $0.removeFirst() }
      }
    }
  }

  /// Two live implementations, each with its own adapter.
  var both: [Implementation<Shop>] {
    get throws {
      [try live("one").built(from: "Sources/One"), try live("two").built(from: "Sources/Two")]
    }
  }

  /// Runs the contract's cases, in a run of its own.
  ///
  /// - Returns: The matrix of the run, and the calls that the origin received.
  @discardableResult
  func run(
    _ contract: Contract<Shop>? = nil, on implementations: [Implementation<Shop>]? = nil,
    _ environment: [String: String] = ["CONTRACT_FRESH": "7d"]
  ) async throws -> (matrix: Matrix, calls: [String]) {
    received.withLock { $0 = [] }
    let recorder = RunRecorder(
      environment: environment.merging(["CONTRACT_JOURNAL_FOLDER": journals.path]) { one, _ in one
      },
      isReporting: false)
    let contract = try contract ?? self.contract()
    let implementations = try implementations ?? both
    try await RunRecorder.$override.withValue(recorder) {
      for one in contract.cases(for: implementations) { try await one.verify() }
    }
    _ = recorder.finish()
    return (recorder.matrix, received.withLock(\.self).sorted())
  }

  var journals: URL { root.appendingPathComponent(".build/contracts") }

  /// Changes the results in the journals of earlier runs.
  func rewrite(_ change: (inout CaseResult) -> Void) throws {
    try rewriteRecords { record in
      guard case .caseFinished(var result) = record.event else { return }
      change(&result)
      record.event = .caseFinished(result)
    }
  }

  /// Makes the journals of earlier runs older, by seconds.
  func age(by seconds: Double) throws {
    try rewriteRecords { record in
      record.time -= seconds
      guard case .caseFinished(var result) = record.event, let time = result.evidenceTime else {
        return
      }
      result.evidenceTime = time - seconds
      if case .proven = result.outcome { result.outcome = .proven(at: time - seconds) }
      record.event = .caseFinished(result)
    }
  }

  private func rewriteRecords(_ change: (inout JournalRecord) -> Void) throws {
    for file in try journalFiles {
      let text = try Journal(contentsOf: file.path).records.map { record -> String in
        var record = record
        change(&record)
        return record.line + "\n"
      }.joined()
      try Data(text.utf8).write(to: file)
    }
  }

  /// The journals of the runs so far.
  var journalFiles: [URL] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: journals.path)
        .filter { $0 != "latest.jsonl" }.sorted().map { journals.appendingPathComponent($0) }
    }
  }
}

/// The port: a call that names the clause which makes it.
struct Shop: Sendable {
  var call: @Sendable (String) async throws -> Int
}

/// Runs a test on a package of its own.
func withLivePackage(_ body: (LivePackage) async throws -> Void) async throws {
  let package = try LivePackage()
  defer { package.remove() }
  try await body(package)
}

extension Matrix {
  /// The outcomes by `clause@implementation`.
  var outcomes: [String: Outcome] {
    Dictionary(
      results.map { ("\($0.id.clause)@\($0.id.implementation)", $0.outcome) },
      uniquingKeysWith: { $1 })
  }
}
