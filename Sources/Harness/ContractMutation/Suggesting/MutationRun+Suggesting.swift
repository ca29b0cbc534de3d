import Foundation
internal import HarnessSupport
import SwiftSource

/// What explorations say about the mutants that no case notices.
package struct Suggestions: Sendable {
  /// A clause, or the report of a drift, with the mutants that its calls notice.
  package struct Finding: Sendable {
    /// The clause's source, or the report.
    package var text: String
    /// The mutants, in the order of the sources.
    package var mutants: [Mutant]
  }

  /// Calls that the fake answers otherwise than the live side, without any mutant.
  package var drifts: [Finding] = []
  /// The clauses, those that notice most mutants first.
  package var clauses: [Finding] = []
  /// The mutants for which there is no clause, each with the reason.
  package var rest: [(mutant: Mutant, reason: String)] = []
}

extension MutationRun {
  /// Judges the mutants, and looks for calls that notice those that no case notices.
  ///
  /// The calls are those of the package's explorations of drift with a fixture of the cases that judge. They are made on the live side too: what it
  /// answers is what a clause states.
  ///
  /// - Throws: ``MutationError`` if something is in the way.
  package func suggest() throws(MutationError) -> Suggestions {
    let (judging, chosen) = try judged()
    let results = judging.writer.journal.results
    let survivors = chosen.filter {
      [.survived, .unreached].contains(results[$0.id]?.verdict.status)
    }
    guard !survivors.isEmpty else { return Suggestions() }
    let filter = if let given = options.explorations { given } else { try explorations() }
    progress(.step("looking for calls that notice \(survivors.count) mutants"))
    let byNumber = Dictionary(
      uniqueKeysWithValues: survivors.compactMap { mutant in
        judging.numbers[mutant.id].map { ($0, mutant) }
      })
    let lines = try answers(about: byNumber.keys.sorted(), filter, judging)
    return suggestions(of: lines, byNumber)
  }

  /// A line that a test program writes.
  private struct Answer: Decodable {
    var mutants: [Int]
    var text: String?
    var isDrift: Bool
    var reason: String?
  }

  private func answers(
    about mutants: [Int], _ filter: String, _ judging: Judging
  ) throws(MutationError) -> [Answer] {
    let path = "\(folder)/suggestions.jsonl"
    try? FileManager.default.removeItem(atPath: path)
    var request: [String: Any] = [
      "mutants": mutants, "seconds": options.searchSeconds, "results": path,
    ]
    // A clause about another fixture would not compile in the contract.
    if options.explorations == nil {
      request["fixtures"] = judging.unmutated.fixtures.sorted()
    }
    guard let data = try? JSONSerialization.data(withJSONObject: request) else { return [] }
    var program = judging.program
    program.servesCases = false
    program.filter = filter
    program.temporaryFolder = nil
    program.memoryLimit = 0
    program.request = ["CONTRACT_SUGGEST": String(decoding: data, as: UTF8.self)]
    let state = try SwitchState(folder: folder, name: "suggest", count: judging.numbers.count)
    let process = try CaseServerProcess(program, state: state, folder: folder, name: "suggest")
    defer { process.end() }
    do throws(CaseServerProcess.Silence) {
      // The process answers in the file.
      while true {
        _ = try process.line(within: Double(60 + mutants.count * (30 + options.searchSeconds)))
      }
    } catch {
      guard error == .ended(signal: nil, status: 0) else {
        throw MutationError("the explorations \(error):\n\(process.output)")
      }
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw MutationError(
        "no test that matches '\(filter)' explores drift of the contract's fixture; name one with "
          + "--explorations\n"
          + process.output)
    }
    return text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Answer.self, from: Data($0.utf8))
    }
  }

  private func suggestions(of answers: [Answer], _ mutants: [Int: Mutant]) -> Suggestions {
    var suggestions = Suggestions()
    var isNoticed: Set<Int> = []
    for answer in answers {
      guard let text = answer.text else { continue }
      isNoticed.formUnion(answer.mutants)
      let finding = Suggestions.Finding(
        text: text, mutants: answer.mutants.compactMap { mutants[$0] })
      if answer.isDrift {
        suggestions.drifts.append(finding)
      } else {
        suggestions.clauses.append(finding)
      }
    }
    suggestions.clauses.sort { $0.mutants.count > $1.mutants.count }
    // Several explorations may have looked for a mutant; the last one's reason is shown.
    var reasons: [Int: String] = [:]
    for answer in answers where answer.text == nil {
      for number in answer.mutants where !isNoticed.contains(number) {
        reasons[number] = answer.reason
      }
    }
    suggestions.rest = reasons.sorted { $0.key < $1.key }.compactMap { number, reason in
      mutants[number].map { ($0, reason) }
    }
    return suggestions
  }

  /// A regular expression of the functions in the package's tests that explore drift.
  private func explorations() throws(MutationError) -> String {
    let files = FileManager.default.enumerator(atPath: scratch.original + "/Tests")
    var names: Set<String> = []
    while let name = files?.nextObject() as? String {
      guard name.hasSuffix(".swift"),
        let text = try? String(contentsOfFile: "\(scratch.original)/Tests/\(name)", encoding: .utf8)
      else { continue }
      for part in text.components(separatedBy: "exploreDrift(").dropLast() {
        if let function = part.matches(of: /func (?:`([^`]+)`|(\w+))/).last {
          names.insert(String(function.1 ?? function.2 ?? ""))
        }
      }
    }
    guard !names.isEmpty else {
      throw MutationError("no test calls exploreDrift; write one, whose operations are the calls")
    }
    return names.sorted().map(NSRegularExpression.escapedPattern).joined(separator: "|")
  }
}

extension Suggestions {
  /// The suggestions for a terminal.
  package var text: String {
    var parts: [String] = []
    for drift in drifts { parts.append("drift: " + drift.text) }
    for clause in clauses {
      let heading = clause.mutants.count == 1 ? "1 mutant:" : "\(clause.mutants.count) mutants:"
      let mutants = clause.mutants.map { "  \(Self.line(of: $0))" }
      parts.append(
        (["this clause notices \(heading)"] + mutants + [clause.text]).joined(separator: "\n"))
    }
    if !rest.isEmpty {
      let lines = rest.map { "  \(Self.line(of: $0.mutant)): \($0.reason)" }
      parts.append((["no clause notices:"] + lines).joined(separator: "\n"))
    }
    let noticed = clauses.reduce(0) { $0 + $1.mutants.count }
    let total = noticed + rest.count + drifts.reduce(0) { $0 + $1.mutants.count }
    parts.append(
      "suggested clauses: \(clauses.count), which notice \(noticed) of \(total) mutants that survived; "
        + "drifts: \(drifts.count)")
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func line(of mutant: Mutant) -> String {
    func short(_ text: String) -> String {
      let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
      return line.count > 60 ? line.prefix(60) + "…" : line
    }
    let change = mutant.replacement.isEmpty ? "removed" : "to `\(short(mutant.replacement))`"
    return "\(mutant.file):\(mutant.start.line) `\(short(mutant.original))` \(change)"
  }

  /// Puts the clauses at the end of a contract.
  ///
  /// - Parameters:
  ///   - source: The text of the contract's file.
  ///   - contract: The contract's id.
  /// - Returns: The new text; `nil` if the file has no such contract, or not in a form that can be extended.
  package func added(to source: String, contract: String) -> String? {
    let text = SourceText(source)
    let start = "Contract\\(\\s*\"" + NSRegularExpression.escapedPattern(for: contract) + "\""
    guard let range = source.range(of: start, options: .regularExpression) else { return nil }
    var offset = source.utf8.distance(from: source.startIndex, to: range.lowerBound)
    var depth = 0
    while offset < text.bytes.count {
      let byte = text.bytes[offset]
      if byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { break }
      }
      if text.starts(with: "//".utf8, at: offset) {
        offset = text.bytes[offset...].firstIndex(of: 10) ?? text.bytes.count
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#") {
        offset = max(text.endOfToken(at: offset), offset + 1)
      } else {
        offset += 1
      }
    }
    guard offset < text.bytes.count, depth == 0 else { return nil }
    let head = text[0..<offset]
    let lineStart = head.lastIndex(of: "\n").map { head.index(after: $0) } ?? head.startIndex
    let indentation = String(head[lineStart...])
    guard indentation.allSatisfy({ $0 == " " }) else { return nil }
    let inner = indentation + "  "
    let clauses = clauses.map { clause in
      clause.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : inner + $0 }.joined(separator: "\n") + "\n"
    }
    return String(head[..<lineStart]) + clauses.joined() + indentation
      + text[offset..<text.bytes.count]
  }
}
