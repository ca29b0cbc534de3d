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
    do {
      self = try JournalLine.decoder.decode(JournalLine.self, from: line).record
    } catch let error as JournalLineError {
      throw error
    } catch {
      throw JournalLineError(reason: "not a journal record: \(Self.summary(of: error))")
    }
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

  /// How the reason begins if the line has a later format than this package reads.
  package static let newerFormat = "it has format "
}

/// A record as an object of JSON.
///
/// Encoding one of a case's two lines takes about 6 µs in a debug build, and decoding 12 µs.
private struct JournalLine: Codable {
  var record: JournalRecord

  static let decoder = JSONDecoder()

  static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  init(_ record: JournalRecord) { self.record = record }

  /// Encodes all fields but the version, which ``JournalRecord/line`` writes.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(record.run, "run")
    try fields.put(finite: record.time, "time")
    switch record.event {
    case .runStarted(let summary):
      try fields.put("run-started", "event")
      try fields.put(summary.platform, "platform")
      try fields.put(some: summary.commit, "commit")
      try fields.put(some: summary.isDirty, "dirty")
      if !summary.versions.isEmpty { try fields.put(summary.versions, "versions") }
    case .contract(let contract):
      try fields.put("contract", "event")
      try fields.put(contract, "contract")
    case .implementation(let implementation):
      try fields.put("implementation", "event")
      try fields.put(implementation, "implementation")
    case .caseStarted(let id):
      try fields.put("case-started", "event")
      try fields.put(id.description, "case")
    case .caseSlow(let id, let seconds):
      try fields.put("case-slow", "event")
      try fields.put(id.description, "case")
      try fields.put(finite: seconds, "seconds")
    case .caseFinished(let result):
      try fields.put("case-finished", "event")
      try fields.put(result)
    case .processCrashed(let id, let signal):
      try fields.put("process-crashed", "event")
      try fields.put(id.description, "case")
      try fields.put(signal, "signal")
    case .saboteur(let result):
      try fields.put("saboteur", "event")
      try fields.put(result, "saboteur")
    case .leftOut(let count, let reason):
      try fields.put("left-out", "event")
      try fields.put(count, "count")
      try fields.put(reason, "reason")
    case .problem(let message):
      try fields.put("problem", "event")
      try fields.put(message, "message")
    case .runFinished: try fields.put("run-finished", "event")
    }
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    let version: Int = try fields.get("version")
    guard version <= JournalRecord.formatVersion else {
      throw JournalLineError(
        reason: "\(JournalLineError.newerFormat)\(version), and this tool reads up to "
          + "\(JournalRecord.formatVersion); update the tool")
    }
    guard version > 0 else { throw JournalLineError(reason: "there is no format \(version)") }
    record = JournalRecord(
      run: try fields.get("run"), time: try fields.seconds("time"), event: try fields.event())
  }
}

extension KeyedEncodingContainer<FieldKey> {
  fileprivate mutating func put(_ result: CaseResult) throws {
    try put(result.id.description, "case")
    try put(result.outcome.name, "outcome")
    try put(finite: result.seconds, "seconds")
    if !result.issues.isEmpty { try put(result.issues, "issues") }
    try put(some: result.witness, "witness")
    try put(some: result.expectations, "expectations")
    switch result.outcome {
    case .passed, .failed: break
    case .deviates(let reason), .unavailable(let reason), .flaky(let reason), .notRun(let reason):
      try put(reason, "reason")
    case .notApplicable(let capability, let reason):
      try put(capability, "capability")
      try put(reason, "reason")
    case .crashed(let signal): try put(signal, "signal")
    case .timedOut(let limit): try put(finite: limit, "limit")
    }
  }

  /// Writes a number, or 0 if it is infinite or not a number, because JSON has no such numbers.
  fileprivate mutating func put(finite number: Double, _ key: FieldKey) throws {
    try put(number.isFinite ? number : 0, key)
  }
}

extension KeyedDecodingContainer<FieldKey> {
  fileprivate func event() throws -> JournalRecord.Event {
    switch try get("event") as String {
    case "run-started":
      return .runStarted(
        RunSummary(
          platform: try get("platform"), commit: try find("commit"), isDirty: try find("dirty"),
          versions: try find("versions") ?? [:]))
    case "contract": return .contract(try get("contract"))
    case "implementation": return .implementation(try get("implementation"))
    case "case-started": return .caseStarted(try caseID())
    case "case-slow": return .caseSlow(try caseID(), seconds: try seconds("seconds"))
    case "case-finished":
      return .caseFinished(
        CaseResult(
          id: try caseID(), outcome: try outcome(), seconds: try seconds("seconds"),
          issues: try find("issues") ?? [], witness: try find("witness"),
          expectations: try find("expectations")))
    case "process-crashed": return .processCrashed(try caseID(), signal: try get("signal"))
    case "saboteur": return .saboteur(try get("saboteur"))
    case "left-out": return .leftOut(try get("count"), reason: try get("reason"))
    case "problem": return .problem(try get("message"))
    case "run-finished": return .runFinished
    case let other: throw JournalLineError(reason: "the event '\(other)' is unknown")
    }
  }

  private func outcome() throws -> Outcome {
    switch try get("outcome") as String {
    case "passed": return .passed
    case "failed": return .failed
    case "deviates": return .deviates(reason: try get("reason"))
    case "not-applicable":
      return .notApplicable(capability: try get("capability"), reason: try get("reason"))
    case "unavailable": return .unavailable(reason: try get("reason"))
    case "flaky": return .flaky(reason: try get("reason"))
    case "not-run": return .notRun(reason: try get("reason"))
    // Earlier versions wrote this for a case that they left out because an earlier run had passed it.
    case "proven": return .notRun(reason: "an earlier run passed it with the same code")
    case "crashed": return .crashed(signal: try get("signal"))
    case "timed-out": return .timedOut(seconds: try seconds("limit"))
    case let other: throw JournalLineError(reason: "the outcome '\(other)' is unknown")
    }
  }

  /// Accepts 0 to 10¹² seconds, more than 30,000 years; no clock returns anything else.
  fileprivate func seconds(_ key: FieldKey) throws -> Double {
    let seconds: Double = try get(key)
    guard seconds >= 0, seconds <= 1e12 else {
      throw JournalLineError(reason: "'\(key.stringValue)' can't be \(seconds)")
    }
    return seconds
  }

  private func caseID() throws -> CaseID {
    let text: String = try get("case")
    guard let id = CaseID(text) else {
      throw JournalLineError(reason: "'\(text)' is not a case id, contract/clause@implementation")
    }
    return id
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

extension ContractSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try fields.get("id"), title: try fields.get("title"),
      revision: try fields.get("revision"), clauses: try fields.get("clauses"),
      dropped: try fields.get("dropped"),
      clausesWithoutSaboteur: try fields.get("unproven"),
      leftToMutants: try fields.find("leftToMutants") ?? [])
    digest = try fields.get("digest")
    isOwn = try fields.find("isOwn")
    saboteurResults = try fields.find("saboteurResults")
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
    try fields.put(some: saboteurResults, "saboteurResults")
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
      version: try fields.find("version"), parts: try fields.find("parts"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(contract, "contract")
    try fields.put(id, "id")
    try fields.put(kind, "kind")
    try fields.put(lacks, "lacks")
    try fields.put(deviations, "deviations")
    try fields.put(some: version, "version")
    try fields.put(some: parts, "parts")
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
    self.init(
      name: try fields.get("name"), isTouched: try fields.get("isTouched"),
      kinds: try fields.find("kinds") ?? [])
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(name, "name")
    try fields.put(isTouched, "isTouched")
    if !kinds.isEmpty { try fields.put(kinds, "kinds") }
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
