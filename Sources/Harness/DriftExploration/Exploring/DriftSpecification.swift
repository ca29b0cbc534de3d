import ContractExploration
import ContractTesting
import Foundation
import SystemLocks

/// What an exploration looks for; it is sent to the process that makes the calls with each request.
struct DriftMode: Codable, Sendable {
  enum Side: String, Codable, Sendable {
    case live
    case fake
  }

  /// A difference that an operation declares.
  struct Known: Codable, Hashable, Sendable {
    var operation: String
    var number: Int
  }

  /// The signatures of differences that are reported already.
  var ignored: Set<String> = []
  /// The categories of which no more differences are looked for.
  var ignoredCategories: Set<String> = []
  /// The calls that are not made, because they end the process or do not return.
  var avoided: Set<String> = []
  /// The declared differences whose calls are not made, for the same reason.
  var avoidedKnown: Set<Known> = []
  /// The known difference to look for, instead of unknown ones.
  var sought: Known?
  /// The only side on which calls are made.
  var side: Side?
  /// Whether the answers are written down, and not judged.
  var transcribes = false
  /// The implementation that is compared with itself, once without and once with a mutant.
  var mutated: Side?
  /// The folder in which each operation that is called leaves a file.
  var marks: String?

  /// The mode as a text that ``CurrentMode/adopt(_:)`` reads.
  var text: String? {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The mode of the process that makes the calls, which each request changes.
final class CurrentMode: Sendable {
  private let state: Mutex<(mode: DriftMode, marks: CallMarks?)>

  init(_ mode: DriftMode) { state = Mutex((mode, mode.marks.map(CallMarks.init))) }

  var value: (mode: DriftMode, marks: CallMarks?) { state.withLock { $0 } }

  func adopt(_ text: String) {
    guard let mode = try? JSONDecoder().decode(DriftMode.self, from: Data(text.utf8)) else {
      return
    }
    state.withLock { state in
      if state.marks?.folder != mode.marks { state.marks = mode.marks.map(CallMarks.init) }
      state.mode = mode
    }
  }
}

/// A call of an operation.
struct DriftCall<Subject>: Sendable {
  let operation: String
  /// The choices from which the operation and its arguments are drawn; empty in a run that isn't recorded.
  let ranks: [UInt64]
  let bound: BoundCall<Subject>?
  private let storedText: String?

  init(operation: String, ranks: [UInt64], bound: BoundCall<Subject>?) {
    self.operation = operation
    self.ranks = ranks
    self.bound = bound
    storedText = nil
  }
}

extension DriftCall: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.ranks == other.ranks && one.operation == other.operation
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(operation)
    hasher.combine(ranks)
  }
}

extension DriftCall: CustomStringConvertible {
  var description: String {
    guard let bound else { return storedText ?? "\(operation)()" }
    return "\(operation)(\(bound.arguments(\.variable).joined(separator: ", ")))"
  }
}

extension DriftCall: Codable {
  private enum Key: String, CodingKey {
    case operation, ranks, text
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    operation = try container.decode(String.self, forKey: .operation)
    ranks = try container.decode([UInt64].self, forKey: .ranks)
    storedText = try container.decode(String.self, forKey: .text)
    bound = nil
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(operation, forKey: .operation)
    try container.encode(ranks, forKey: .ranks)
    try container.encode(description, forKey: .text)
  }
}

extension ResultName {
  /// The variable that holds the result in printed tests.
  var variable: String { name.filter { $0.isLetter || $0.isNumber } + "\(call + 1)" }
}

/// The numbers of calls whose results later calls may use.
struct DriftState: Hashable, Sendable {
  var calls: [Int]
}

/// Whether a call was answered alike.
enum DriftResponse: Sendable, Equatable, CustomStringConvertible {
  case alike
  /// The signature tells causes apart as far as it can; the category stays the same while shrinking.
  case different(category: String, signature: String)

  static let separator: Character = "\u{1F}"

  var description: String {
    switch self {
    case .alike: "alike"
    case .different(let category, let signature): "\(category)\(Self.separator)\(signature)"
    }
  }
}

extension DriftResponse: CategorizedResponse {
  static func category(ofDescription description: String) -> String {
    String(description.prefix { $0 != separator })
  }
}

/// Operations as the engine explores them: each command is a call on both sides.
struct DriftSpecification<Subject>: Specification {
  let operations: [AnyOperation<Subject>]
  let observations: [Observation<Subject>]
  let live: String
  let fake: String
  let context: DrawContext

  init(
    _ operations: [AnyOperation<Subject>], _ observations: [Observation<Subject>], live: String,
    fake: String
  ) {
    self.operations = operations
    self.observations = observations
    self.live = live
    self.fake = fake
    var meanings: [String] = []
    for meaning in operations.flatMap(\.meanings) where !meanings.contains(meaning) {
      meanings.append(meaning)
    }
    context = DrawContext(
      recorded: Set(operations.flatMap(\.references)).sorted(), meanings: meanings)
  }

  var initialState: DriftState {
    DriftState(calls: Array(repeating: 0, count: context.recorded.count))
  }

  // The part before the parenthesis names the folder of the examples.
  var source: String { "\(Subject.self) of \(live)()" }

  func source(ofCommand command: DriftCall<Subject>) -> String { command.description }

  func command(from choices: inout Choices, in state: DriftState) -> DriftCall<Subject> {
    guard !operations.isEmpty else { return DriftCall(operation: "", ranks: [], bound: nil) }
    let first = choices.preferredRule(of: operations.count)
    var context = context
    context.calls = state.calls
    for offset in operations.indices {
      let operation = operations[(first + offset) % operations.count]
      guard let bound = operation.bind(&choices, context) else { continue }
      let ranks = choices.sequence.spans.last?.map(\.rank) ?? []
      return DriftCall(operation: operation.name, ranks: ranks, bound: bound)
    }
    return DriftCall(operation: "", ranks: [], bound: nil)
  }

  func apply(_ command: DriftCall<Subject>, to state: inout DriftState) -> DriftResponse {
    if let index = context.recorded.firstIndex(of: command.operation) { state.calls[index] += 1 }
    return .alike
  }

  func perform(
    _ command: DriftCall<Subject>, on pair: DriftPair<Subject>
  ) async throws -> DriftResponse {
    guard !pair.isOver, let bound = bound(command, on: pair),
      let operation = operations.first(where: { $0.name == command.operation })
    else { return .alike }
    if isAvoided(bound, of: operation.name, pair) {
      pair.isOver = true
      return .alike
    }
    let steps = pair.transcript?.count ?? 0
    let outcome = await bound.perform(pair, context.recorded.firstIndex(of: operation.name))
    if let marks = pair.marks, !operation.references.isEmpty {
      if case .skipped = outcome {} else { marks.set(operation.name) }
    }
    if pair.transcript != nil {
      if case .skipped = outcome { pair.transcript?.append(TranscriptStep(isSkipped: true)) }
      pair.callNumber += 1
      pair.transcript?[steps].call = pair.callNumber - 1
    }
    if case .different(let difference) = outcome {
      // Of an implementation and its mutant, no difference is declared.
      let known = pair.mode.mutated == nil ? bound.known(pair.fakeResults, fake) : nil
      let response = judged(
        difference, pair, known.map { .init(operation: operation.name, number: $0) },
        at: operation.name, Self.place(operation.name, bound))
      if response != .alike { return response }
    }
    for (number, observation) in observations.enumerated() where observation.isAfterEachCall {
      if pair.isOver { break }
      let response = await observed(number, observation, pair, after: command.operation)
      if response != .alike { return response }
    }
    return .alike
  }

  /// Makes the observations at the end of a sequence.
  ///
  /// - Throws: ``EndDifference`` if one differs.
  func finish(_ pair: DriftPair<Subject>) async throws {
    for (number, observation) in observations.enumerated() where !observation.isAfterEachCall {
      if pair.isOver { break }
      let response = await observed(number, observation, pair, after: "")
      if response != .alike { throw EndDifference(description: "\(response)") }
    }
  }

  private func observed(
    _ number: Int, _ observation: Observation<Subject>, _ pair: DriftPair<Subject>,
    after operation: String
  ) async -> DriftResponse {
    guard pair.mode.side == nil else { return .alike }
    let steps = pair.transcript?.count ?? 0
    let outcome = await observation.read(pair)
    pair.transcript?[steps].call = pair.callNumber - 1
    pair.transcript?[steps].observation = number
    guard case .different(let difference) = outcome else { return .alike }
    return judged(
      difference, pair, nil, at: observation.name, Self.place(observation, after: operation))
  }

  private func isAvoided(
    _ bound: BoundCall<Subject>, of operation: String, _ pair: DriftPair<Subject>
  ) -> Bool {
    let mode = pair.mode
    if !mode.avoided.isEmpty, mode.avoided.contains(Self.place(operation, bound)) { return true }
    guard !mode.avoidedKnown.isEmpty, let number = bound.known(pair.fakeResults, fake) else {
      return false
    }
    return mode.avoidedKnown.contains(.init(operation: operation, number: number))
  }

  /// Decides whether a difference ends the run.
  private func judged(
    _ difference: AnswerDifference, _ pair: DriftPair<Subject>, _ known: DriftMode.Known?,
    at name: String, _ place: String
  ) -> DriftResponse {
    guard pair.transcript == nil else { return .alike }
    let mode = pair.mode
    let category = "\(name)|\(difference.live)|\(difference.fake)"
    let signature = "\(place)|\(difference.live)|\(difference.fake)\(difference.parts)"
    if let known, known == mode.sought {
      return .different(category: category, signature: signature)
    }
    let isOld =
      known != nil || mode.sought != nil || mode.ignored.contains(signature)
      || mode.ignoredCategories.contains(category)
      || pair.hasOldDifference && mode.ignored.contains(Self.consequence(signature))
    guard isOld else { return .different(category: category, signature: signature) }
    pair.hasOldDifference = true
    if difference.separates { pair.isOver = true }
    return .alike
  }

  /// The signature of a difference that is only seen after another one.
  static func consequence(_ signature: String) -> String { "after \(signature)" }

  /// An operation with the pattern of its arguments.
  static func place(_ operation: String, _ bound: BoundCall<Subject>) -> String {
    "\(operation)|\(bound.pattern())"
  }

  /// An observation with the operation before it, which is empty at the end of a sequence.
  static func place(_ observation: Observation<Subject>, after operation: String) -> String {
    "\(observation.name) after \(operation)"
  }

  /// The call of a command that was sent or stored, drawn again from its choices.
  private func bound(_ command: DriftCall<Subject>, on pair: DriftPair<Subject>) -> BoundCall<
    Subject
  >? {
    command.bound ?? bound(command, calls: pair.liveResults.map(\.count))
  }

  func bound(_ command: DriftCall<Subject>, calls: [Int]) -> BoundCall<Subject>? {
    if let bound = command.bound { return bound }
    guard !command.ranks.isEmpty else { return nil }
    var choices = Choices(replaying: ChoiceSequence(spans: [command.ranks]))
    choices.beginCommand()
    let drawn = self.command(from: &choices, in: DriftState(calls: calls))
    return drawn.operation == command.operation ? drawn.bound : nil
  }
}

/// A difference that an observation found at the end of a sequence.
struct EndDifference: Error, CustomStringConvertible {
  var description: String
}

/// Which operations were called, for the process that explores: an empty file for each.
struct CallMarks: Sendable {
  let folder: String
  private let called = CalledNames()

  private final class CalledNames: Sendable {
    let names = Mutex<Set<String>>([])
  }

  init(folder: String) { self.folder = folder }

  func set(_ operation: String) {
    guard called.names.withLock({ $0.insert(operation).inserted }) else { return }
    _ = FileManager.default.createFile(atPath: path(of: operation), contents: nil)
  }

  func isSet(_ operation: String) -> Bool {
    FileManager.default.fileExists(atPath: path(of: operation))
  }

  private func path(of operation: String) -> String {
    "\(folder)/" + operation.utf8.map { String($0, radix: 16) }.joined()
  }
}
