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
      breadth: try fields.find("breadth"), code: try fields.find("code"),
      evidence: try fields.find("evidence"))
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
    try fields.put(some: code, "code")
    try fields.put(some: evidence, "evidence")
  }
}

extension ContractSummary: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      id: try fields.get("id"), title: try fields.get("title"),
      revision: try fields.get("revision"), clauses: try fields.get("clauses"),
      dropped: try fields.get("dropped"), unproven: try fields.get("unproven"))
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
    try fields.put(unproven, "unproven")
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

extension CaseCode: Codable {
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      clause: try fields.get("clause"), implementation: try fields.get("implementation"))
  }

  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: FieldKey.self)
    try fields.put(clause, "clause")
    try fields.put(implementation, "implementation")
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
