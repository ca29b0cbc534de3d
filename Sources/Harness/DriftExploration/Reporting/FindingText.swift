import ContractExploration
import Foundation

/// A finding as text: what each side answered, and a clause that states what the live side does.
struct FindingText<Subject> {
  private let finding: DriftFinding<Subject>
  private let live: String
  private let fake: String
  private let observations: [Observation<Subject>]
  private let calls: [CallText]
  private let subject: String
  /// The global actor of the calls, with `@`, or `nil`.
  private let globalActor: String?

  /// A call in the port's syntax.
  private struct CallText {
    var operation: AnyOperation<Subject>?
    /// The call as the test writes it, with its arguments.
    var source: String
    /// The call in one line, without `try` and `await`.
    var short: String
    /// The call as statements, if the test writes several.
    var statements: (before: String, returned: String)?
    /// The variable for the result, if a later call uses it.
    var variable: String?
  }

  init(
    _ finding: DriftFinding<Subject>, live: String, fake: String,
    operations: [AnyOperation<Subject>], observations: [Observation<Subject>]
  ) {
    self.finding = finding
    self.live = live
    self.fake = fake
    self.observations = observations
    let bound = finding.calls
    let closures = bound.map { call in
      operations.first { $0.name == call.operation }?.place.closure
    }
    let subject = closures.lazy.compactMap { $0?.parameters.first }.first { $0 != "_" } ?? "subject"
    self.subject = subject
    globalActor = closures.lazy.compactMap { $0?.globalActor }.first
    let arguments = bound.map { $0.bound?.arguments(\.variable) ?? [] }
    var counts: [String: Int] = [:]
    calls = bound.indices.map { index in
      let name = bound[index].operation
      let number = counts[name, default: 0]
      counts[name] = number + 1
      let variable = ResultName(name: name, operation: 0, call: number).variable
      let isUsed = arguments[(index + 1)...].joined().contains {
        $0 == variable || $0.hasPrefix(variable + ".")
      }
      let plain = "\(subject).\(name)(\(arguments[index].joined(separator: ", ")))"
      let source = closures[index]?.applied(to: [subject] + arguments[index])
      var short = source ?? plain
      for word in ["try ", "await "] where short.hasPrefix(word) { short.removeFirst(word.count) }
      return CallText(
        operation: operations.first { $0.name == name }, source: source ?? "try await \(plain)",
        short: short.contains("\n") ? plain : short,
        statements: closures[index]?.statements(with: [subject] + arguments[index]),
        variable: isUsed ? variable : nil)
    }
  }

  private var differing: TranscriptStep? { finding.steps.last { $0.differs } }

  /// What is compared where the sides differ.
  private var lastShort: String {
    if let number = differing?.observation {
      return observations[number].name
    }
    return calls.last?.short ?? "the fixture"
  }

  // MARK: - The description

  var description: String {
    let failure = finding.failure
    var lines = [headline]
    for (index, call) in calls.enumerated() {
      let answers = finding.steps.filter { $0.call == index }
      lines.append("  \(index + 1). \(call.short)")
      for step in answers where !step.isSkipped {
        let name = step.observation.map { "\(observations[$0].name): " } ?? ""
        if step.differs {
          lines += [
            "       \(live): \(name)\(step.live.text)", "       \(fake): \(name)\(step.fake.text)",
          ]
        } else if step.observation == nil {
          lines[lines.count - 1] += "  → both \(step.live.text)"
        }
      }
      if index == calls.count - 1, differing == nil { lines.append("       \(way)") }
    }
    if finding.fakeVaries {
      lines.append(
        "  \(fake) answers this otherwise from run to run; compare what it promises, with '.comparing { … }'"
      )
    }
    // Without calls there is nothing to shrink.
    let hasCalls = failure.originalLength > 0
    if hasCalls {
      lines.append(
        "found with \(failure.example.map { "the saved example \($0)" } ?? "seed \(failure.seed.map { "\($0)" } ?? "unknown")"), "
          + "shrunk from \(failure.originalLength) calls to \(calls.count) with \(failure.calls.shrinking) calls"
      )
    }
    if failure.isFlaky {
      lines.append(
        "flaky: seen in \(failure.failedReplays) of \(failure.replays) replays, so it was not shrunk"
      )
    } else if hasCalls, !failure.isShrunkFully, failure.example == nil {
      lines.append("shrinking reached its limit; raise `shrinkCalls` for a shorter sequence")
    }
    return lines.joined(separator: "\n")
  }

  /// Other sequences of the same category, one line each.
  var variants: [String] {
    finding.variants.map { variant in
      "also differs: "
        + variant.failure.commands.map(\.description).joined(separator: ", ").abbreviatingValues()
    }
  }

  private var headline: String {
    if differing != nil { return "\(fake) answers otherwise than \(live)" }
    let names = finding.guilty.map { $0 == .live ? live : fake }
    let side = names.isEmpty ? "one side" : names.joined(separator: " and ")
    switch finding.failure.kind {
    case .endedProcess: return "\(side) ended the process"
    case .setUpEndedProcess: return "\(side) ended the process while its fixture was made"
    case .timedOut(let limit): return "\(side) did not return within \(limit)"
    case .setUpThrew(_, let message), .tearDownThrew(_, let message): return message
    default: return "\(fake) answers otherwise than \(live)"
    }
  }

  private var way: String {
    switch finding.failure.kind {
    case .endedProcess(let reason) where !reason.isEmpty: "ended here: \(reason)"
    case .timedOut: "did not return"
    default: "\(finding.failure.kind)"
    }
  }

  // MARK: - The clause

  /// A clause that holds on the live side and fails on the fake; `nil` if none can be stated.
  func clause(_ ids: inout ClauseIDs) -> String? {
    guard !finding.isOfSetUp, !finding.failure.isFlaky, finding.guilty.first != .live,
      let last = calls.last
    else { return nil }
    let answer = differing?.live ?? AnswerText()
    // An observation follows all calls.
    let earlier = differing?.observation == nil ? calls.dropLast() : calls[...]
    let before = Self.counted(earlier.map(\.short)) { "\($1) × \($0)" }
    let says = differing == nil ? "returns" : Self.present(answer.text)
    var sentence = "\(lastShort) \(says)"
    if !before.isEmpty {
      sentence +=
        " after "
        + (before.count > 3 ? "\(earlier.count) calls" : before.joined(separator: ", "))
    }
    let names = Self.counted(calls.compactMap { $0.operation?.name }) { "\($0)-\($1)-times" }
    let id = ids.free(
      names.count > 5
        ? "\(names.last ?? "")-after-\(calls.count - 1)-calls" : names.joined(separator: "-"))
    var body: [String] = []
    for (index, call) in calls.enumerated() where index < calls.count - 1 {
      let step = finding.steps.first { $0.call == index && $0.observation == nil }
      body.append(statement(call, isThrown: step?.live.isThrown ?? false))
    }
    if let number = differing?.observation {
      body.append(
        statement(
          last, isThrown: finding.steps.last { $0.observation == nil }?.live.isThrown ?? false))
      let read = observations[number].place.closure?.applied(to: [subject])
      body += expectation(read ?? "\(subject)", answer, isVoid: false, part: nil)
    } else {
      let isVoid = last.operation?.isVoid ?? false
      let part = last.operation?.partPlace?.closure
      if let (before, returned) = last.statements {
        // Each of the statements may throw.
        body +=
          answer.isThrown
          ? expectation("\(before)\n_ = \(returned)", answer, isVoid: true, part: part)
          : [before] + expectation(returned, answer, isVoid: isVoid, part: part)
      } else {
        body += expectation(last.source, answer, isVoid: isVoid, part: part)
      }
    }
    let origin = finding.failure.seed.map { "exploration, seed \($0)" } ?? "exploration"
    return """
      Clause(
        "\(id)", \(String(reflecting: sentence.abbreviatingValues())),
        from: "\(origin)"
      ) { \(globalActor.map { $0 + " " } ?? "")\(subject)\(Self.effects(of: body)) in
      \(body.joined(separator: "\n").indented(by: 2))
      }
      """
  }

  /// What a closure must say of itself: the compiler does not infer what only macros in it do.
  private static func effects(of body: [String]) -> String {
    let throwing = body.filter { $0.contains("try ") }
    return !throwing.isEmpty && throwing.allSatisfy { $0.hasPrefix("#expect(") } ? " throws" : ""
  }

  /// The texts, of which more than two equal ones in a row become one with their number.
  private static func counted(
    _ texts: [String], _ text: (_ one: String, _ count: Int) -> String
  ) -> [String] {
    var parts: [String] = []
    var rest = texts[...]
    while let first = rest.first {
      let run = rest.prefix { $0 == first }
      parts += run.count > 2 ? [text(first, run.count)] : Array(run)
      rest = rest.dropFirst(run.count)
    }
    return parts
  }

  /// A call before the last.
  private func statement(_ call: CallText, isThrown: Bool) -> String {
    if isThrown {
      guard call.source.hasPrefix("try ") else { return "_ = try? \(call.source)" }
      return (call.operation?.isVoid == true ? "" : "_ = ") + "try?" + call.source.dropFirst(3)
    }
    if let variable = call.variable {
      return call.operation?.isOptional == true
        ? "let \(variable) = try #require(\(call.source))" : "let \(variable) = \(call.source)"
    }
    if let (before, returned) = call.statements {
      return "do {\n" + "\(before)\n_ = \(returned)".indented(by: 2) + "\n}"
    }
    return (call.operation?.isVoid == true ? "" : "_ = ") + call.source
  }

  private func expectation(
    _ call: String, _ answer: AnswerText, isVoid: Bool, part: ClosureText?
  ) -> [String] {
    let isAsync = call.contains("await")
    if answer.isThrown {
      let error = finding.isStable ? answer.expression : nil
      let expected = error ?? "\(answer.errorType ?? "(any Error)").self"
      let code = answer.errorCode.map { "#expect(error?.errorCode == \($0))" }
      let text = answer.errorText.map {
        "#expect(error.map { \"\\($0)\" } == \(ValueSource.text(of: $0)))"
      }
      let check = finding.isStable ? code ?? text : nil
      return [
        (check == nil ? "" : "let error = ")
          + "\(isAsync ? "await " : "")#expect(throws: \(expected)) {",
        (isVoid ? "" : "_ = ").appending(call).indented(by: 2), "}",
      ] + [check].compactMap(\.self)
    }
    // A clause must expect something, also where only the return counts.
    let returns = [
      "\(isAsync ? "await " : "")#expect(throws: Never.self) {",
      (isVoid ? "" : "_ = ").appending(call).indented(by: 2), "}",
    ]
    if isVoid || differing == nil { return returns }
    guard finding.isStable, let value = answer.expression else {
      // Where the fake throws, that the call returns is the difference.
      if differing?.fake.isThrown == true { return ["// \(live) \(answer.text)"] + returns }
      let request = "write me: an expectation for the answer; \(live) \(answer.text)"
      return ["_ = \(call)", "Issue.record(\(String(reflecting: request)))"]
    }
    if let part {
      let text = part.applied(to: ["answer"])
      return ["let answer = \(call)", "#expect(\(text) == \(value))"]
    }
    if let path = answer.path, !path.isEmpty {
      return ["let answer = \(call)", "#expect(answer\(path) == \(value))"]
    }
    return ["#expect(\(call) == \(value))"]
  }

  private static func present(_ text: String) -> String {
    if text.hasPrefix("threw") { return "throws" + text.dropFirst(5) }
    return text.hasPrefix("returned") ? "returns" + text.dropFirst(8) : text
  }
}

/// Ids for clauses that no file of the test's folder contains.
struct ClauseIDs {
  private var taken: Set<String>

  /// Reads the Swift files of the folder of a file.
  init(besideFile file: String) {
    let folder = URL(filePath: file).deletingLastPathComponent()
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    taken = Set(
      (files ?? []).filter { $0.pathExtension == "swift" }.prefix(200)
        .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
        .flatMap { $0.matches(of: /Clause\(\s*"([^"]*)"/).map { String($0.1) } })
  }

  /// Returns an id like a name: lower-case letters, digits and `-`.
  mutating func free(_ name: String) -> String {
    var id = ""
    for character in name where character.isASCII {
      if character.isUppercase, id.last.map({ $0 != "-" }) == true { id += "-" }
      id += character.isLetter || character.isNumber ? character.lowercased() : "-"
    }
    var candidate = id
    var number = 2
    while !taken.insert(candidate).inserted {
      candidate = "\(id)-\(number)"
      number += 1
    }
    return candidate
  }
}

extension String {
  /// A text of more than 160 characters with `Note(…)` for each value that an initializer makes.
  fileprivate func abbreviatingValues() -> String {
    guard count > 160 else { return self }
    var text = ""
    var depth = 0
    var (isInWord, isInType, isInString, isEscaped) = (false, false, false, false)
    for character in self {
      if character == "\"", !isEscaped { isInString.toggle() }
      isEscaped = character == "\\" && !isEscaped
      if depth == 0 { text.append(character) }
      guard !isInString else { continue }
      if character == "(", depth > 0 || isInType { depth += 1 }
      if character == ")", depth > 0 {
        depth -= 1
        if depth == 0 { text += "…)" }
      }
      let isLetter = character.isLetter || character.isNumber || character == "_"
      isInType = isLetter && (isInWord ? isInType : character.isUppercase)
      isInWord = isLetter
    }
    return text
  }
}
