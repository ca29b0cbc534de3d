import Foundation

extension JournalRecord {
  /// The first bytes of every line of this format. They can't occur again inside a line: strings have their quotes
  /// escaped, and the only objects with arbitrary keys (`lacks`, `dropped`) have string values.
  static let beginning: StaticString = "{\"version\":2,"

  /// The first bytes of the lines of every format.
  static let beginnings: [StaticString] = ["{\"version\":1,", beginning]

  /// The record as one line of JSON, without the newline.
  package var line: String {
    // An object of strings, finite numbers and arrays of these; encoding it can't fail.
    guard let data = try? JournalLine.encoder.encode(JournalLine(self)) else { return "" }
    // The version comes before the sorted keys, so that a reader finds where a record begins that
    // was appended to a line cut short.
    return "\(Self.beginning)" + String(decoding: data.dropFirst(), as: UTF8.self)
  }

  /// Decodes one line of a journal.
  ///
  /// - Throws: ``JournalLineError`` with the reason why the line is not a record.
  package init(line: some StringProtocol) throws(JournalLineError) {
    try self.init(json: Data(line.utf8))
  }

  init(json line: Data) throws(JournalLineError) {
    let fields: JournalLine
    do {
      fields = try JournalLine.decoder.decode(JournalLine.self, from: line)
    } catch {
      throw JournalLineError(reason: "not a journal record: \(Self.summary(of: error))")
    }
    self = try fields.record()
  }

  private static func summary(of error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.isEmpty
        ? "it isn't a JSON object" : "'\(name(of: context))' has the wrong type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "'\(name(of: context))' has an unknown value"
    default: "it isn't JSON"
    }
  }

  private static func name(of context: DecodingError.Context) -> String {
    context.codingPath.map(\.stringValue).joined(separator: ".")
  }
}

/// The reason why a line of a journal is not a record.
package struct JournalLineError: Error, Hashable, Sendable {
  /// The reason, as a clause that can follow 'this line is damaged,'.
  package var reason: String
}

/// The JSON object on a journal's line: the fields of every event, most of them absent.
///
/// Encoding one of a case's two lines takes about 6 µs in a debug build, and decoding 12 µs.
struct JournalLine {
  /// The format's version. It is `nil` when a line is encoded: ``JournalRecord/line`` writes it.
  var version: Int?
  var run: String
  var time: Double
  var event: String
  var platform: String?
  var commit: String?
  var dirty: Bool?
  var versions: [String: String]?
  var contract: ContractSummary?
  var implementation: ImplementationSummary?
  var `case`: String?
  var outcome: String?
  var seconds: Double?
  var reason: String?
  var capability: String?
  var signal: Int32?
  var limit: Double?
  var issues: [IssueSummary]?
  var saboteur: SaboteurResult?
  var message: String?
  var witness: WitnessSummary?
  var breadth: SaboteurBreadth?
  var code: CaseCode?
  var evidence: Double?

  static let decoder = JSONDecoder()

  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()
}

// MARK: - Encoding

extension JournalLine {
  init(_ record: JournalRecord) {
    self.init(run: record.run, time: Self.finite(record.time), event: "")
    switch record.event {
    case .runStarted(let summary):
      event = "run-started"
      platform = summary.platform
      commit = summary.commit
      dirty = summary.isDirty
      if !summary.versions.isEmpty { versions = summary.versions }
    case .contract(let contract):
      event = "contract"
      self.contract = contract
    case .implementation(let implementation):
      event = "implementation"
      self.implementation = implementation
    case .caseStarted(let id):
      event = "case-started"
      `case` = id.description
    case .caseSlow(let id, let seconds):
      event = "case-slow"
      `case` = id.description
      self.seconds = Self.finite(seconds)
    case .caseFinished(let result):
      event = "case-finished"
      set(result)
    case .processCrashed(let id, let signal):
      event = "process-crashed"
      `case` = id.description
      self.signal = signal
    case .saboteur(let result):
      event = "saboteur"
      saboteur = result
    case .breadth(let breadth):
      event = "breadth"
      self.breadth = breadth
    case .problem(let message):
      event = "problem"
      self.message = message
    case .runFinished:
      event = "run-finished"
    }
  }

  private mutating func set(_ result: CaseResult) {
    `case` = result.id.description
    outcome = result.outcome.name
    seconds = Self.finite(result.seconds)
    if !result.issues.isEmpty { issues = result.issues }
    witness = result.witness
    code = result.code
    evidence = result.evidenceTime.map(Self.finite)
    switch result.outcome {
    case .passed, .failed: break
    case .deviates(let reason), .unavailable(let reason), .flaky(let reason), .notRun(let reason):
      self.reason = reason
    case .proven(let time): evidence = Self.finite(time)
    case .notApplicable(let capability, let reason):
      self.capability = capability
      self.reason = reason
    case .crashed(let signal): self.signal = signal
    case .timedOut(let limit): self.limit = Self.finite(limit)
    }
  }

  /// JSON has no infinities and no NaN.
  private static func finite(_ number: Double) -> Double { number.isFinite ? number : 0 }
}

// MARK: - Decoding

extension JournalLine {
  func record() throws(JournalLineError) -> JournalRecord {
    let version = try need(version, "version")
    guard version <= JournalRecord.formatVersion else {
      throw JournalLineError(
        reason: "it has format \(version), and this tool reads up to "
          + "\(JournalRecord.formatVersion); update the tool")
    }
    guard version > 0 else { throw JournalLineError(reason: "there is no format \(version)") }
    return JournalRecord(
      run: run, time: try Self.checked(time, "time"), event: try recordEvent())
  }

  private func recordEvent() throws(JournalLineError) -> JournalRecord.Event {
    switch event {
    case "run-started":
      return .runStarted(
        RunSummary(
          platform: try need(platform, "platform"), commit: commit, isDirty: dirty,
          versions: versions ?? [:]))
    case "contract": return .contract(try need(contract, "contract"))
    case "implementation": return .implementation(try need(implementation, "implementation"))
    case "case-started": return .caseStarted(try caseID())
    case "case-slow":
      return .caseSlow(
        try caseID(), seconds: try Self.checked(try need(seconds, "seconds"), "seconds"))
    case "case-finished":
      return .caseFinished(
        CaseResult(
          id: try caseID(), outcome: try caseOutcome(),
          seconds: try Self.checked(try need(seconds, "seconds"), "seconds"),
          issues: issues ?? [], witness: witness, code: code, evidenceTime: try evidenceTime()))
    case "process-crashed":
      return .processCrashed(try caseID(), signal: try need(signal, "signal"))
    case "saboteur": return .saboteur(try need(saboteur, "saboteur"))
    case "breadth": return .breadth(try need(breadth, "breadth"))
    case "problem": return .problem(try need(message, "message"))
    case "run-finished": return .runFinished
    default: throw JournalLineError(reason: "the event '\(event)' is unknown")
    }
  }

  /// Accepts 0 to 10¹² seconds, more than 30,000 years; no clock returns anything else.
  private static func checked(_ seconds: Double, _ key: String) throws(JournalLineError) -> Double {
    guard seconds >= 0, seconds <= 1e12 else {
      throw JournalLineError(reason: "'\(key)' can't be \(seconds)")
    }
    return seconds
  }

  private func evidenceTime() throws(JournalLineError) -> Double? {
    guard let evidence else { return nil }
    return try Self.checked(evidence, "evidence")
  }

  private func need<Value>(_ value: Value?, _ key: String) throws(JournalLineError) -> Value {
    guard let value else { throw JournalLineError(reason: "'\(key)' is missing") }
    return value
  }

  private func caseID() throws(JournalLineError) -> CaseID {
    let text = try need(`case`, "case")
    guard let id = CaseID(text) else {
      throw JournalLineError(reason: "'\(text)' is not a case id, contract/clause@implementation")
    }
    return id
  }

  private func caseOutcome() throws(JournalLineError) -> Outcome {
    switch try need(outcome, "outcome") {
    case "passed": return .passed
    case "failed": return .failed
    case "deviates": return .deviates(reason: try need(reason, "reason"))
    case "not-applicable":
      return .notApplicable(
        capability: try need(capability, "capability"), reason: try need(reason, "reason"))
    case "unavailable": return .unavailable(reason: try need(reason, "reason"))
    case "flaky": return .flaky(reason: try need(reason, "reason"))
    case "not-run": return .notRun(reason: try need(reason, "reason"))
    case "proven":
      return .proven(at: try Self.checked(try need(evidence, "evidence"), "evidence"))
    case "crashed": return .crashed(signal: try need(signal, "signal"))
    case "timed-out":
      return .timedOut(seconds: try Self.checked(try need(limit, "limit"), "limit"))
    case let other: throw JournalLineError(reason: "the outcome '\(other)' is unknown")
    }
  }
}
