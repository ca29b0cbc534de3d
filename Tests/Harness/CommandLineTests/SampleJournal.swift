import ContractEvidence
import Foundation

/// A minimal journal: one clause, a fake, a live implementation and a saboteur.
enum SampleJournal {
  /// The id of the case on an implementation, `fake` or `real`.
  static func id(_ implementation: String) -> CaseID {
    CaseID(contract: "things", clause: "first", implementation: implementation)
  }

  static let contract = ContractSummary(
    id: "things", title: "Things", revision: 1,
    clauses: [
      ClauseSummary(
        id: "first", sentence: "it holds", source: nil, group: nil, requires: [], absenceOf: nil,
        file: "M/F.swift", line: 1)
    ])

  static func implementation(_ name: String, _ kind: ImplementationKind) -> ImplementationSummary {
    ImplementationSummary(contract: "things", id: name, kind: kind, lacks: [:], deviations: [])
  }

  /// The journal's text.
  ///
  /// - Parameters:
  ///   - fake: The fake's outcome.
  ///   - real: The live implementation's outcome, or `nil` if it did not run.
  ///   - hasSaboteur: Whether a saboteur ran.
  ///   - time: When the run started, in seconds since 1970, or `nil` for now.
  static func text(
    fake: Outcome = .passed, real: Outcome? = .passed, hasSaboteur: Bool = true,
    time: Double? = nil
  ) -> String {
    var events: [JournalRecord.Event] = [.contract(contract)]
    for (name, kind, outcome) in [
      ("fake", ImplementationKind.fake, Optional(fake)), ("real", .live, real),
    ] {
      var declared = implementation(name, kind)
      if case .deviates(let reason) = outcome {
        declared.deviations = [
          DeviationSummary(
            clause: "first", kind: "bug", reason: reason, link: nil, isIntermittent: false)
        ]
      }
      events.append(.implementation(declared))
      guard let outcome else { continue }
      events.append(.caseStarted(id(name)))
      events.append(.caseFinished(CaseResult(id: id(name), outcome: outcome, seconds: 0)))
    }
    if hasSaboteur {
      events.append(
        .saboteur(
          SaboteurResult(
            contract: "things", saboteur: "broken", clause: "first", isCaught: true,
            message: "")))
    }
    let start = time ?? Date().timeIntervalSince1970
    return events.enumerated().map {
      JournalRecord(run: "r\(start)", time: start + Double($0.offset) / 1000, event: $0.element)
        .line + "\n"
    }.joined()
  }

  /// Shell commands that append the start of the only case to the journal.
  static var commandsStartingACase: String { commands(.caseStarted(id("fake"))) }

  /// Shell commands that append the result of the only case, which passes.
  static var commandsEndingACase: String {
    commands(.caseFinished(CaseResult(id: id("fake"), outcome: .passed, seconds: 0)))
  }

  private static func commands(_ event: JournalRecord.Event) -> String {
    let events: [JournalRecord.Event] = [
      .contract(contract), .implementation(implementation("fake", .fake)), event,
    ]
    return events.map {
      let line = JournalRecord(run: "r", time: 1, event: $0).line
      return "echo \(shell: line) >> \"$CONTRACT_JOURNAL\"\n"
    }.joined()
  }
}

extension String.StringInterpolation {
  /// Appends text as one word of a shell command.
  fileprivate mutating func appendInterpolation(shell text: String) {
    appendLiteral("'" + text.replacing("'", with: "'\\''") + "'")
  }
}
