import ContractExploration
import Foundation
import Testing

/// What an exploration found out about a fake.
struct DriftReport<Subject> {
  let live: String
  let fake: String
  let seed: UInt64
  var runs = 0
  /// The calls made on each side.
  var calls = 0
  var searchTime = Duration.zero
  var findings: [DriftFinding<Subject>] = []
  /// The folder with the saved sequences of the findings, if there are any.
  var examples: String?
  /// Why a side cannot be explored here.
  var unavailability: String?
  /// Whether the search ended because it had found as many differences as a run reports.
  var isFull = false
  /// The number of differences that were only seen after another one.
  var consequences = 0
  /// The declared differences, and whether they were seen.
  var known: [(operation: String, reason: String, isSeen: Bool)] = []
  /// The operations that were never called, with those whose results they need.
  var uncalled: [(operation: String, references: [String])] = []
  private var storeProblems: [String] = []
  /// How often each category was found.
  private var counts: [String: Int] = [:]

  init(live: String, fake: String, seed: UInt64) {
    self.live = live
    self.fake = fake
    self.seed = seed
  }

  mutating func add(_ report: LockStepReport<DriftSpecification<Subject>>) {
    runs += report.runs
    calls += report.calls
    searchTime += report.searchTime
    storeProblems +=
      report.storeProblems
      + report.staleExamples.map {
        "stale example \($0.name): \($0.reason); delete the file if it is obsolete"
      }
  }

  /// Adds a finding. Findings of one category are reported together.
  ///
  /// - Returns: Whether it is worth keeping.
  mutating func include(_ finding: DriftFinding<Subject>) -> Bool {
    if let category = finding.answers?.category { counts[category, default: 0] += 1 }
    if includes(finding) { return false }
    if let index = findings.firstIndex(where: { $0.category == finding.category }) {
      findings[index].variants.append(finding)
    } else {
      findings.append(finding)
    }
    return true
  }

  /// Whether there is a finding of the same category with the same operations, and arguments that are no more special.
  func includes(_ finding: DriftFinding<Subject>) -> Bool {
    findings.filter { $0.category == finding.category }.flatMap { [$0] + $0.variants }.contains {
      $0.operations == finding.operations && $0.covers(finding)
    }
  }

  /// The categories of which enough is known.
  var exhaustedCategories: Set<String> { Set(counts.filter { $0.value >= 8 }.keys) }

  /// What was done, in one line.
  var summary: String {
    let seconds =
      Double(searchTime.components.seconds) + Double(searchTime.components.attoseconds) / 1e18
    var text =
      "compared \(fake) with \(live): \(calls) calls on each, \(runs) sequences, "
      + String(format: "%.1f", seconds) + " s, first seed \(seed); "
      + (findings.isEmpty ? "no difference" : "differences: \(findings.count)")
    if findings.isEmpty, consequences > 0 { text += ", but \(consequences) after declared ones" }
    if isFull { text += ", the most that a run reports: repair some and run it again" }
    if let examples { text += ", saved in \(examples)" }
    if !known.isEmpty { text += ", known ones: \(known.filter(\.isSeen).count) of \(known.count)" }
    return text
  }

  /// The texts of the issues to record.
  ///
  /// - Parameters:
  ///   - operations: The operations, for the texts of calls.
  ///   - observations: The reads, for their texts.
  ///   - file: The path of the test's file, in whose folder ids of clauses are taken.
  func problems(
    _ operations: [AnyOperation<Subject>], _ observations: [Observation<Subject>],
    besideFile file: String
  ) -> [String] {
    var ids = ClauseIDs(besideFile: file)
    var texts: [String] = []
    for (number, finding) in findings.enumerated() {
      let text = FindingText(
        finding, live: live, fake: fake, operations: operations, observations: observations)
      var lines = ["difference \(number + 1) of \(findings.count): " + text.description]
      lines += text.variants
      lines.append("run it again: \(Self.command(seed: finding.failure.seed ?? seed))")
      if let clause = text.clause(&ids) {
        lines += ["", "as a clause, which states what \(live) does:", clause]
      }
      texts.append(lines.joined(separator: "\n"))
    }
    if consequences > 0, !texts.isEmpty {
      texts[texts.count - 1] +=
        "\n\n\(consequences) more differences were seen only after one of these or of the declared ones; "
        + "they are not listed"
    }
    for known in known where !known.isSeen {
      texts.append(
        "the difference declared for '\(known.operation)' (\(known.reason)) was not seen in "
          + "\(fake); remove .differing(because:), or explore longer with CONTRACT_EXPLORE_SECONDS")
    }
    for (operation, references) in uncalled {
      let names = Set(references).sorted().map { "'\($0)'" }.joined(separator: ", ")
      texts.append(
        "'\(operation)' was never called, because no call of \(names) returned on both sides what it "
          + "needs; correct its domains, or remove it")
    }
    return texts + Set(storeProblems).sorted()
  }

  /// The shell command that runs the current test from a seed.
  private static func command(seed: UInt64) -> String {
    let id = Test.current.map { String("\($0.id)".prefix { $0 != "(" }) } ?? ""
    return "CONTRACT_EXPLORE_SEED=\(seed) swift test --filter '\(id)'"
  }
}

/// The shortest sequence of calls that shows a difference.
struct DriftFinding<Subject> {
  let failure: LockStepFailure<DriftSpecification<Subject>>
  let specification: DriftSpecification<Subject>
  /// What both sides answered.
  var steps: [TranscriptStep] = []
  /// Whether the live side answers the same each time.
  var isStable = false
  /// Whether the fake answers the calls otherwise than itself.
  var fakeVaries = false
  /// The sides that end the process or do not return.
  var guilty: [DriftMode.Side] = []
  /// Other sequences in which the sides answer in the same two ways.
  var variants: [DriftFinding] = []

  init(
    _ failure: LockStepFailure<DriftSpecification<Subject>>,
    specification: DriftSpecification<Subject>
  ) {
    self.failure = failure
    self.specification = specification
  }

  /// Whether no call is part of it.
  var isOfSetUp: Bool {
    switch failure.kind {
    case .setUpThrew, .setUpEndedProcess: true
    case .tearDownThrew(let type, _): type != "EndDifference"
    default: false
    }
  }

  /// The calls with their arguments.
  var calls: [(operation: String, bound: BoundCall<Subject>?)] {
    var state = specification.initialState
    return failure.commands.map { command in
      let bound = specification.bound(command, calls: state.calls)
      _ = specification.apply(command, to: &state)
      return (command.operation, bound)
    }
  }

  /// The category and the signature of two answers that differ; `nil` for other findings.
  var answers: (category: String, signature: String)? {
    switch failure.kind {
    case .mismatch(_, .different(let category, let signature)): (category, signature)
    case .differed(_, let text), .tearDownThrew("EndDifference", let text):
      (
        DriftResponse.category(ofDescription: text),
        String(text.drop { $0 != DriftResponse.separator }.dropFirst())
      )
    default: nil
    }
  }

  /// The index of the step that this is a finding about. What is read after it differs as well if its call changes
  /// something.
  func ownStep(in steps: [TranscriptStep]) -> Int {
    let signature = answers?.signature ?? ""
    let observation = specification.observations.firstIndex {
      let operation = $0.isAfterEachCall ? operations.last ?? "" : ""
      return signature.hasPrefix(
        DriftSpecification.place($0, after: operation) + "|")
    }
    return steps.lastIndex { $0.call == operations.count - 1 && $0.observation == observation }
      ?? steps.count - 1
  }

  /// Whether another finding differs in arguments of the last call that are special, such as zero or nil, and these are
  /// plain here.
  func covers(_ other: DriftFinding) -> Bool {
    guard let mine = answers?.signature.split(separator: "|", omittingEmptySubsequences: false),
      let its = other.answers?.signature.split(separator: "|", omittingEmptySubsequences: false),
      mine.count == its.count
    else { return true }
    return zip(mine, its).allSatisfy { $0 == $1 || ArgumentPattern.covers($0, $1) }
  }

  /// The last operation with the pattern of its arguments.
  var lastPlace: String? {
    calls.last.flatMap { call in
      call.bound.map { DriftSpecification<Subject>.place(call.operation, $0) }
    }
  }

  /// The names of the operations.
  var operations: [String] { failure.commands.map(\.operation) }

  /// What both sides answered in the end, which findings of the same cause share.
  var category: String {
    if case .endedProcess(let reason) = failure.kind {
      return (operations.suffix(1) + [reason]).joined(separator: "\n")
    }
    return (operations.suffix(isOfSetUp ? 0 : 1) + [failure.kind.category]).joined(separator: "\n")
  }
}
