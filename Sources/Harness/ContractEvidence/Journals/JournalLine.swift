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
    switch result.outcome {
    case .passed, .failed: break
    case .deviates(let reason), .unavailable(let reason), .flaky(let reason), .notRun(let reason):
      self.reason = reason
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
          issues: issues ?? [], witness: witness))
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
    // Earlier versions wrote this for a case that they left out because an earlier run had passed it.
    case "proven": return .notRun(reason: "an earlier run passed it with the same code")
    case "crashed": return .crashed(signal: try need(signal, "signal"))
    case "timed-out":
      return .timedOut(seconds: try Self.checked(try need(limit, "limit"), "limit"))
    case let other: throw JournalLineError(reason: "the outcome '\(other)' is unknown")
    }
  }
}

// The records' fields in JSON. The conformances are written by hand, with one type of keys. The
// generated ones have a type of keys for each record, and were most of this module's code, which
// every package that uses the harness builds.

/// The key of a field.
struct FieldKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String

  init(stringLiteral value: String) { stringValue = value }
  init(stringValue: String) { self.stringValue = stringValue }

  var intValue: Int? { nil }
  init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<FieldKey> {
  /// The value of a field.
  fileprivate func get<Value: Decodable>(_ key: FieldKey) throws -> Value {
    try decode(Value.self, forKey: key)
  }

  /// The value of a field that may be missing.
  fileprivate func find<Value: Decodable>(_ key: FieldKey) throws -> Value? {
    try decodeIfPresent(Value.self, forKey: key)
  }
}

extension KeyedEncodingContainer<FieldKey> {
  fileprivate mutating func put(_ value: some Encodable, _ key: FieldKey) throws {
    try encode(value, forKey: key)
  }

  /// Writes a field unless its value is `nil`.
  fileprivate mutating func put(some value: (some Encodable)?, _ key: FieldKey) throws {
    try encodeIfPresent(value, forKey: key)
  }
}

extension JournalLine: Codable {
  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      version: try fields.find("version"), run: try fields.get("run"), time: try fields.get("time"),
      event: try fields.get("event"), platform: try fields.find("platform"),
      commit: try fields.find("commit"), dirty: try fields.find("dirty"),
      versions: try fields.find("versions"), contract: try fields.find("contract"),
      implementation: try fields.find("implementation"), case: try fields.find("case"),
      outcome: try fields.find("outcome"), seconds: try fields.find("seconds"),
      reason: try fields.find("reason"), capability: try fields.find("capability"),
      signal: try fields.find("signal"), limit: try fields.find("limit"),
      issues: try fields.find("issues"), saboteur: try fields.find("saboteur"),
      message: try fields.find("message"), witness: try fields.find("witness"),
      breadth: try fields.find("breadth"))
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(some: version, "version")
    try fields.put(run, "run")
    try fields.put(time, "time")
    try fields.put(event, "event")
    try fields.put(some: platform, "platform")
    try fields.put(some: commit, "commit")
    try fields.put(some: dirty, "dirty")
    try fields.put(some: versions, "versions")
    try fields.put(some: contract, "contract")
    try fields.put(some: implementation, "implementation")
    try fields.put(some: `case`, "case")
    try fields.put(some: outcome, "outcome")
    try fields.put(some: seconds, "seconds")
    try fields.put(some: reason, "reason")
    try fields.put(some: capability, "capability")
    try fields.put(some: signal, "signal")
    try fields.put(some: limit, "limit")
    try fields.put(some: issues, "issues")
    try fields.put(some: saboteur, "saboteur")
    try fields.put(some: message, "message")
    try fields.put(some: witness, "witness")
    try fields.put(some: breadth, "breadth")
  }
}

extension ContractSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try fields.get("id"), title: try fields.get("title"),
      revision: try fields.get("revision"), clauses: try fields.get("clauses"),
      dropped: try fields.get("dropped"),
      clausesWithoutSaboteur: try fields.get("unproven"),
      leftToMutants: try fields.find("leftToMutants") ?? [])
    // Another version may compute the digest in another way.
    digest = try fields.get("digest")
    isOwn = try fields.find("isOwn")
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(id, "id")
    try fields.put(title, "title")
    try fields.put(revision, "revision")
    try fields.put(digest, "digest")
    try fields.put(clauses, "clauses")
    try fields.put(dropped, "dropped")
    try fields.put(clausesWithoutSaboteur, "unproven")
    try fields.put(some: leftToMutants.isEmpty ? nil : leftToMutants, "leftToMutants")
    try fields.put(some: isOwn, "isOwn")
  }
}

extension ClauseSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try fields.get("id"), sentence: try fields.get("sentence"),
      source: try fields.find("source"), group: try fields.find("group"),
      requires: try fields.get("requires"), absenceOf: try fields.find("absenceOf"),
      file: try fields.get("file"), path: try fields.find("path"), line: try fields.get("line"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(id, "id")
    try fields.put(sentence, "sentence")
    try fields.put(some: source, "source")
    try fields.put(some: group, "group")
    try fields.put(requires, "requires")
    try fields.put(some: absenceOf, "absenceOf")
    try fields.put(file, "file")
    try fields.put(some: path, "path")
    try fields.put(line, "line")
  }
}

extension ImplementationSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      contract: try fields.get("contract"), id: try fields.get("id"), kind: try fields.get("kind"),
      lacks: try fields.get("lacks"), deviations: try fields.get("deviations"),
      version: try fields.find("version"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(contract, "contract")
    try fields.put(id, "id")
    try fields.put(kind, "kind")
    try fields.put(lacks, "lacks")
    try fields.put(deviations, "deviations")
    try fields.put(some: version, "version")
  }
}

extension DeviationSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      clause: try fields.get("clause"), kind: try fields.get("kind"),
      reason: try fields.get("reason"), link: try fields.find("link"),
      isIntermittent: try fields.get("isIntermittent"), until: try fields.find("until"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(clause, "clause")
    try fields.put(kind, "kind")
    try fields.put(reason, "reason")
    try fields.put(some: link, "link")
    try fields.put(isIntermittent, "isIntermittent")
    try fields.put(some: until, "until")
  }
}

extension IssueSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      message: try fields.get("message"), file: try fields.find("file"),
      path: try fields.find("path"), line: try fields.find("line"),
      isFixture: try fields.get("isFixture"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(message, "message")
    try fields.put(some: file, "file")
    try fields.put(some: path, "path")
    try fields.put(some: line, "line")
    try fields.put(isFixture, "isFixture")
  }
}

extension WitnessSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(name: try fields.get("name"), isTouched: try fields.get("isTouched"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(name, "name")
    try fields.put(isTouched, "isTouched")
  }
}

extension SaboteurResult: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      contract: try fields.get("contract"), saboteur: try fields.get("saboteur"),
      clause: try fields.get("clause"), isCaught: try fields.get("isCaught"),
      message: try fields.get("message"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(contract, "contract")
    try fields.put(saboteur, "saboteur")
    try fields.put(clause, "clause")
    try fields.put(isCaught, "isCaught")
    try fields.put(message, "message")
  }
}

extension SaboteurBreadth: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      contract: try fields.get("contract"), saboteur: try fields.get("saboteur"),
      failed: try fields.get("failed"), ran: try fields.get("ran"),
      hasMessage: try fields.get("hasMessage"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(contract, "contract")
    try fields.put(saboteur, "saboteur")
    try fields.put(failed, "failed")
    try fields.put(ran, "ran")
    try fields.put(hasMessage, "hasMessage")
  }
}
