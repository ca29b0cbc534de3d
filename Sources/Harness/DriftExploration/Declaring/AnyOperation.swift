import ContractExploration

/// An operation without the types of its arguments and its answer.
public struct AnyOperation<Subject>: Sendable {
  let name: String
  let place: SourcePlace
  let partPlace: SourcePlace?
  /// The operations whose results this one uses.
  let references: [String]
  let meanings: [String]
  let known: [(reason: String, fake: String?)]
  let isVoid: Bool
  /// Whether the call returns an optional, which clauses unwrap before they use the value.
  let isOptional: Bool
  /// Draws the arguments of a call; `nil` if one of them needs a result that no call has returned.
  let bind: @Sendable (inout Choices, DrawContext) -> BoundCall<Subject>?

  init<Answer, each Argument: Sendable>(
    _ operation: Operation<Subject, Answer, repeat each Argument>
  ) {
    name = operation.name
    place = operation.place
    partPlace = operation.comparison.place
    known = operation.known.map { ($0.reason, $0.fake) }
    isVoid = Answer.self == Void.self
    isOptional = Answer.self is any ExpressibleByNilLiteral.Type
    var references: [String] = []
    var meanings: [String] = []
    for domain in repeat each operation.domains {
      references += domain.references
      meanings += domain.meanings
    }
    self.references = references
    self.meanings = meanings
    bind = { choices, context in
      var isComplete = true
      func drawn<Value>(_ domain: Domain<Value>) -> Drawn<Value>? {
        guard isComplete else { return nil }
        let value = domain.draw(&choices, context)
        if value == nil { isComplete = false }
        return value
      }
      let maybe = (repeat drawn(each operation.domains))
      guard isComplete else { return nil }
      return BoundCall(
        operation, DrawnArguments<repeat each Argument>(values: (repeat (each maybe)!)))
    }
  }
}

/// The drawn arguments of a call.
struct DrawnArguments<each Argument: Sendable>: Sendable {
  var values: (repeat Drawn<each Argument>)
}

/// A call with its arguments, which can be made on both sides.
struct BoundCall<Subject>: Sendable {
  /// Makes the call on both sides, and compares the answers.
  let perform: @Sendable (DriftPair<Subject>, _ keepsResults: Int?) async -> StepOutcome
  /// The number of the known difference that the arguments satisfy.
  let known: @Sendable (_ fakeResults: [[Any?]], _ fake: String) -> Int?
  /// The arguments as Swift source, given the names of results.
  let arguments: @Sendable (_ nameOfResult: (ResultName) -> String) -> [String]
  /// What distinguishes the arguments from others: equal ones, paths inside others, and the kinds of values.
  let pattern: @Sendable () -> String

  init<Answer, each Argument: Sendable>(
    _ operation: Operation<Subject, Answer, repeat each Argument>,
    _ arguments: DrawnArguments<repeat each Argument>
  ) {
    perform = { pair, keepsResults in
      guard let live = try? (repeat (each arguments.values).resolved(in: pair.liveResults)),
        let fake = try? (repeat (each arguments.values).resolved(in: pair.fakeResults))
      else {
        if let keepsResults {
          pair.liveResults[keepsResults].append(nil)
          pair.fakeResults[keepsResults].append(nil)
        }
        return .skipped
      }
      let call = operation.call
      var liveAnswer: SideAnswer<Answer> = .notCalled
      var fakeAnswer: SideAnswer<Answer> = .notCalled
      if pair.mode.side != .fake {
        liveAnswer = await pair.answer(of: .live) {
          try await call(pair.live.fixture, repeat each live)
        }
      }
      if pair.mode.side != .live {
        fakeAnswer = await pair.answer(of: .fake) {
          try await call(pair.fake.fixture, repeat each fake)
        }
      }
      if let keepsResults {
        pair.liveResults[keepsResults].append(liveAnswer.value)
        pair.fakeResults[keepsResults].append(fakeAnswer.value)
      }
      return pair.compare(
        liveAnswer, fakeAnswer, operation.comparison, operation.errorComparison)
    }
    known = { results, fake in
      guard !operation.known.isEmpty else { return nil }
      let values = try? (repeat (each arguments.values).resolved(in: results))
      return operation.known.firstIndex { known in
        guard known.applies(to: fake) else { return false }
        guard let condition = known.condition else { return true }
        return values.map { condition(repeat each $0) } ?? false
      }
    }
    self.arguments = { nameOfResult in
      var texts: [String] = []
      for value in repeat each arguments.values { texts.append(value.text(nameOfResult)) }
      return texts
    }
    pattern = {
      var pattern = ArgumentPattern()
      for value in repeat each arguments.values { pattern.add(value) }
      return pattern.text
    }
  }
}

/// What a step showed.
enum StepOutcome {
  case alike
  /// An argument needs a result that one side did not return.
  case skipped
  case different(AnswerDifference)
}

/// A description of arguments that calls with the same cause share.
struct ArgumentPattern {
  private(set) var text = ""
  private var earlier: [String] = []

  mutating func add<Value>(_ drawn: Drawn<Value>) {
    let value = drawn.text { "\($0.name)#\($0.call)" }
    if let same = earlier.firstIndex(of: value) {
      text += "=\(same) "
    } else if let outer = earlier.firstIndex(where: { Self.isInside(value, $0) }) {
      text += "<\(outer) "
    } else if let inner = earlier.firstIndex(where: { Self.isInside($0, value) }) {
      text += ">\(inner) "
    } else {
      text += "_ "
    }
    earlier.append(value)
    text += Self.kind(of: drawn) + " "
  }

  /// Whether each argument is plain in the first pattern, or the same in both.
  static func covers(_ pattern: Substring, _ other: Substring) -> Bool {
    let parts = (
      pattern.split(separator: " ", omittingEmptySubsequences: false),
      other.split(separator: " ", omittingEmptySubsequences: false)
    )
    return parts.0.count == parts.1.count
      && zip(parts.0, parts.1).allSatisfy { $0 == $1 || $0 == "" || $0 == "_" }
  }

  /// Whether a text names something inside the folder that another names, both as Swift source.
  private static func isInside(_ text: String, _ folder: String) -> Bool {
    text.count > folder.count && text.hasPrefix(folder.dropLast() + "/")
  }

  private static func kind<Value>(of drawn: Drawn<Value>) -> String {
    guard case .value(let value) = drawn else { return "result" }
    switch value {
    case let text as String:
      if text.isEmpty { return "empty" }
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      if parts.contains("..") { return "dot-dot" }
      if parts.contains(".") { return "dot" }
      if parts.count > 1, parts.contains("") { return "slash" }
      return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "/") }
        ? "" : "odd"
    case let number as any BinaryInteger:
      let text = "\(number)"
      return text == "0" ? "0" : text.hasPrefix("-") ? "negative" : ""
    case let values as any Collection: return values.isEmpty ? "empty" : ""
    default:
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .optional { return mirror.children.isEmpty ? "nil" : "" }
      return mirror.displayStyle == .enum ? "\(value)" : ""
    }
  }
}
