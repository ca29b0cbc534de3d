import ContractEvidence
import Foundation
import SystemLocks
import Testing

@testable import ContractTesting
@testable import harness_specimens

/// A folder of journals, and a contract whose live implementations count their calls.
final class LiveShop: Sendable {
  let journals = FileManager.default.temporaryDirectory
    .appendingPathComponent("shop-\(UUID().uuidString)", isDirectory: true)

  /// The calls that the origin has received, as `clause@implementation`.
  private let received = Mutex<[String]>([])

  /// What the origin answers to the next calls; it answers 3 to every call after these.
  let answers = Mutex<[Int]>([])

  func contract(_ ids: [String] = ["first", "second"]) -> Contract<Shop> {
    Contract("shop", "Shop") {
      for id in ids {
        Clause(id, "it answers") { shop in
          let answer = try await shop.call(id)
          if answer == -1 { throw Refusal() }
          #expect(answer == 3, "the answer")
        }
      }
    }
  }

  func live(_ id: String) -> Implementation<Shop> {
    .live(id) { _ in
      Shop { clause in
        self.received.withLock { $0.append("\(clause)@\(id)") }
        return self.answers.withLock { $0.isEmpty ? 3 : $0.removeFirst() }
      }
    }
  }

  var both: [Implementation<Shop>] { [live("one"), live("two")] }

  /// Runs the contract's cases, in a run of its own.
  ///
  /// - Returns: The matrix of the run, and the calls that the origin received.
  func run(
    _ contract: Contract<Shop>? = nil, on implementations: [Implementation<Shop>],
    _ environment: [String: String] = [:]
  ) async throws -> (matrix: Matrix, calls: [String]) {
    received.withLock { $0 = [] }
    let recorder = RunRecorder(
      environment: environment.merging(["CONTRACT_JOURNAL_FOLDER": journals.path]) { $1 },
      isReporting: false)
    try await RunRecorder.$override.withValue(recorder) {
      for one in (contract ?? self.contract()).cases(for: implementations) {
        try await one.verify()
      }
    }
    _ = recorder.finish()
    return (recorder.matrix, received.withLock(\.self).sorted())
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

/// Runs a test on a shop of its own.
func withLiveShop(_ body: (LiveShop) async throws -> Void) async throws {
  let shop = LiveShop()
  defer { try? FileManager.default.removeItem(at: shop.journals) }
  try await body(shop)
}

extension Matrix {
  /// The outcomes by `clause@implementation`.
  var outcomes: [String: Outcome] {
    Dictionary(
      results.map { ("\($0.id.clause)@\($0.id.implementation)", $0.outcome) },
      uniquingKeysWith: { $1 })
  }
}
