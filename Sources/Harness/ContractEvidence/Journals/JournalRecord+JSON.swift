import Foundation

extension JournalRecord {
  /// How every line begins that this package writes; inside a line it can't occur again, as strings
  /// have their quotes escaped.
  static let beginning: StaticString = "{\"version\":"

  /// The record as one line of JSON, without the newline.
  public var line: String {
    var object = JSONObject()
    object.set("version", Self.formatVersion)
    object.set("run", run)
    object.set("time", time)
    switch event {
    case .runStarted(let platform):
      object.set("event", "run-started")
      object.set("platform", platform)
    case .contract(let contract):
      object.set("event", "contract")
      object.set("contract", encoding: contract)
    case .implementation(let implementation):
      object.set("event", "implementation")
      object.set("implementation", encoding: implementation)
    case .caseStarted(let id):
      object.set("event", "case-started")
      object.set("case", id.description)
    case .caseFinished(let result):
      object.set("event", "case-finished")
      object.set("case", result.id.description)
      object.set("outcome", result.outcome.name)
      object.set("seconds", result.seconds)
      switch result.outcome {
      case .passed, .failed: break
      case .deviates(let reason), .unavailable(let reason): object.set("reason", reason)
      case .notApplicable(let capability, let reason):
        object.set("capability", capability)
        object.set("reason", reason)
      case .crashed(let signal): object.set("signal", Int(signal))
      case .timedOut(let limit): object.set("limit", limit)
      }
      if !result.issues.isEmpty { object.set("issues", encoding: result.issues) }
    case .saboteur(let result):
      object.set("event", "saboteur")
      object.set("saboteur", encoding: result)
    case .problem(let message):
      object.set("event", "problem")
      object.set("message", message)
    case .runFinished:
      object.set("event", "run-finished")
    }
    object.end()
    return object.text
  }

  /// Reads a record back from a line of JSON.
  ///
  /// - Parameter line: One line of a journal.
  /// - Throws: ``JournalLineError`` saying what is wrong with the line.
  public init(line: some StringProtocol) throws(JournalLineError) {
    let read = ContiguousArray(line.utf8).withUnsafeBytes { bytes in
      Result { () throws(JournalLineError) in try JournalRecord(utf8: bytes) }
    }
    self = try read.get()
  }

  init(utf8 line: UnsafeRawBufferPointer) throws(JournalLineError) {
    let fields: Line
    if let flat = Line(flat: line) {
      fields = flat
    } else {
      do {
        fields = try JSONDecoder().decode(Line.self, from: Data(line))
      } catch {
        throw JournalLineError(reason: "not a journal record: \(Self.summary(of: error))")
      }
    }
    guard fields.version <= Self.formatVersion else {
      throw JournalLineError(
        reason: "written in format \(fields.version), and this tool reads up to "
          + "\(Self.formatVersion): update it")
    }
    guard fields.version > 0 else {
      throw JournalLineError(reason: "there is no format \(fields.version)")
    }
    run = fields.run
    time = try Line.checked(fields.time, "time")
    event = try fields.event()
  }

  private static func summary(of error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      context.codingPath.isEmpty ? "it is no object" : "'\(name(of: context))' is of another type"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      "'\(name(of: context))' is not understood"
    default: "it isn't JSON"
    }
  }

  private static func name(of context: DecodingError.Context) -> String {
    context.codingPath.map(\.stringValue).joined(separator: ".")
  }
}

/// What is wrong with a line of a journal.
public struct JournalLineError: Error, Hashable, Sendable {
  /// The reason, in words.
  public var reason: String
}

/// The fields of every kind of line, as they stand.
private struct Line: Decodable {
  var version: Int
  var run: String
  var time: Double
  var name: String
  var platform: String?
  var contract: ContractSummary?
  var implementation: ImplementationSummary?
  var caseName: String?
  var outcome: String?
  var seconds: Double?
  var reason: String?
  var capability: String?
  var signal: Int32?
  var limit: Double?
  var issues: [IssueSummary]?
  var saboteur: SaboteurResult?
  var message: String?

  enum CodingKeys: String, CodingKey {
    case version, run, time, platform, contract, implementation, outcome, seconds, reason
    case capability, signal, limit, issues, saboteur, message
    case name = "event"
    case caseName = "case"
  }

  func event() throws(JournalLineError) -> JournalRecord.Event {
    switch name {
    case "run-started": return .runStarted(platform: try need(platform, "platform"))
    case "contract": return .contract(try need(contract, "contract"))
    case "implementation": return .implementation(try need(implementation, "implementation"))
    case "case-started": return .caseStarted(try caseID())
    case "case-finished":
      return .caseFinished(
        CaseResult(
          id: try caseID(), outcome: try readOutcome(),
          seconds: try Self.checked(try need(seconds, "seconds"), "seconds"),
          issues: issues ?? []))
    case "saboteur": return .saboteur(try need(saboteur, "saboteur"))
    case "problem": return .problem(try need(message, "message"))
    case "run-finished": return .runFinished
    default: throw JournalLineError(reason: "the event '\(name)' is not known")
    }
  }

  /// A number of seconds from 0 to 10¹², more than 30,000 years: no clock has measured another.
  static func checked(_ seconds: Double, _ key: String) throws(JournalLineError) -> Double {
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
    let text = try need(caseName, "case")
    guard let id = CaseID(text) else {
      throw JournalLineError(reason: "'\(text)' is not a case, as contract/clause@implementation")
    }
    return id
  }

  private func readOutcome() throws(JournalLineError) -> Outcome {
    switch try need(outcome, "outcome") {
    case "passed": return .passed
    case "failed": return .failed
    case "deviates": return .deviates(reason: try need(reason, "reason"))
    case "not-applicable":
      return .notApplicable(
        capability: try need(capability, "capability"), reason: try need(reason, "reason"))
    case "unavailable": return .unavailable(reason: try need(reason, "reason"))
    case "crashed": return .crashed(signal: try need(signal, "signal"))
    case "timed-out":
      return .timedOut(seconds: try Self.checked(try need(limit, "limit"), "limit"))
    case let other: throw JournalLineError(reason: "the outcome '\(other)' is not known")
    }
  }
}

extension Line {
  /// Reads the lines that a journal is full of, far faster than `JSONDecoder`.
  ///
  /// Takes an object of strings without escapes and of numbers; gives `nil` for anything else, which
  /// the decoder then reads or refuses.
  fileprivate init?(flat bytes: UnsafeRawBufferPointer) {
    var scanner = FlatScanner(bytes: bytes)
    var version: Int?
    var run: String?
    var time: Double?
    var name: String?
    var rest = Line(version: 0, run: "", time: 0, name: "")
    guard scanner.skip("{") else { return nil }
    repeat {
      guard let key = scanner.string(), scanner.skip(":") else { return nil }
      switch key {
      case "version" where version == nil:
        version = scanner.number().flatMap(Int.init(exactly:))
        if version == nil { return nil }
      case "run" where run == nil: run = scanner.string()
      case "time" where time == nil: time = scanner.number()
      case "event" where name == nil: name = scanner.string()
      case "case" where rest.caseName == nil: rest.caseName = scanner.string()
      case "outcome" where rest.outcome == nil: rest.outcome = scanner.string()
      case "seconds" where rest.seconds == nil: rest.seconds = scanner.number()
      case "reason" where rest.reason == nil: rest.reason = scanner.string()
      default: return nil
      }
    } while scanner.skip(",")
    guard scanner.skip("}"), scanner.isAtEnd, let version, let run, let time, let name,
      name.hasPrefix("case-")
    else { return nil }
    rest.version = version
    rest.run = run
    rest.time = time
    rest.name = name
    self = rest
  }
}

/// Reads strings without escapes and numbers, byte by byte.
private struct FlatScanner {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func string() -> String? {
    guard skip("\""), let base = bytes.baseAddress,
      let end = memchr(base + position, 0x22, bytes.count - position)
    else { return nil }
    let text = UnsafeRawBufferPointer(
      start: base + position, count: UnsafeRawPointer(end) - (base + position))
    guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x5c }) else { return nil }
    position += text.count + 1
    return String(validating: text, as: UTF8.self)
  }

  /// A number in JSON's grammar, as far as its characters tell.
  mutating func number() -> Double? {
    let start = position
    while position < bytes.count, "+-.0123456789eE".utf8.contains(bytes[position]) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}

/// A JSON object written field by field: the two lines of every case are on the hot path.
private struct JSONObject {
  private(set) var text = "{"

  init() { text.reserveCapacity(254) }

  mutating func set(_ key: String, _ value: String) {
    begin(key)
    appendQuoted(value)
  }

  mutating func set(_ key: String, _ value: Int) {
    begin(key)
    text += value.description
  }

  mutating func set(_ key: String, _ value: Double) {
    begin(key)
    text += value.isFinite ? value.description : "0"
  }

  mutating func set(_ key: String, encoding value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return }
    begin(key)
    text += String(decoding: data, as: UTF8.self)
  }

  mutating func end() { text += "}" }

  private mutating func begin(_ key: String) {
    text += text.utf8.count == 1 ? "\"" : ",\""
    text += key
    text += "\":"
  }

  /// The characters that JSON strings can't hold as they are (RFC 8259 §7).
  private static let escaped = String(
    decoding: (1..<0x20).map(UInt8.init) + [0x22, 0x5c], as: UTF8.self)

  private mutating func appendQuoted(_ value: String) {
    text += "\""
    defer { text += "\"" }
    // strcspn(3) is fast in unoptimised builds too, and stops at a NUL, which needs an escape.
    let plain = value.withCString { strcspn($0, Self.escaped) }
    guard plain < value.utf8.count else {
      text += value
      return
    }
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
