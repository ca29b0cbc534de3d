import TransportPort

/// Compares an answer with the recorded one.
struct ResponseComparison {
  typealias Change = ArchiveVerification.Change
  typealias Rule = ArchiveVerification.Matcher.Rule

  /// The maximum number of changes to list for one exchange.
  static let changeLimit = 100

  private let fieldRules: [HTTPField.Name: Rule]
  private let jsonRules: [JSONComparison.PathRule]
  private let contentRule: Rule?
  /// Larger content is compared to the byte, even if it is JSON.
  private let jsonLimit: Int

  init(
    _ matchers: [ArchiveVerification.Matcher], isRecording: Bool, jsonLimit: Int
  ) throws(ArchiveVerificationError) {
    var fields = Self.defaults
    // Other programs export decoded content with the fields of the encoded one.
    if !isRecording { fields[.contentEncoding] = .ignored }
    var json: [JSONComparison.PathRule] = []
    var content: Rule?
    for matcher in matchers {
      switch matcher.place {
      case .field(let name): fields[name] = matcher.rule
      case .json(let text):
        guard let steps = JSONPath.steps(of: text) else { throw .invalidJSONPath(text) }
        json.append(.init(rest: steps, rule: matcher.rule))
      case .content: content = matcher.rule
      }
    }
    fieldRules = fields
    jsonRules = json
    contentRule = content
    self.jsonLimit = jsonLimit
  }

  /// Fields of one connection or one moment.
  private static let defaults: [HTTPField.Name: Rule] = [
    "Date": .ignored, "Age": .ignored, "Expires": .date, .connection: .ignored,
    "Keep-Alive": .ignored, "Proxy-Connection": .ignored, "Upgrade": .ignored,
    .trailer: .ignored, .transferEncoding: .ignored, "Via": .ignored, "Alt-Svc": .ignored,
  ]

  /// Whether an error is the recorded one.
  func agrees(_ recorded: RecordedFailure?, with error: TransportError) -> Bool {
    recorded != nil && recorded?.kind == RecordedFailure(error).kind
  }

  /// The differences; both entries are redacted.
  func changes(from recorded: HTTPArchive.Entry, to live: HTTPArchive.Entry) -> [Change] {
    var changes: [Change] = []
    if recorded.failure?.kind != live.failure?.kind {
      changes.append(.failure(recorded: recorded.failure?.kind, live: live.failure?.kind))
    }
    guard let old = recorded.response, let new = live.response else {
      if recorded.response != nil || live.response != nil, changes.isEmpty {
        changes.append(
          .failure(
            recorded: recorded.response.map { "status \($0.head.status.code)" },
            live: live.response.map { "status \($0.head.status.code)" }))
      }
      return changes
    }
    if old.head.status.code != new.head.status.code {
      changes.append(.status(recorded: old.head.status.code, live: new.head.status.code))
    }
    let hasContent = recorded.request.method != .head
    changes += fields(old.head.headerFields, new.head.headerFields, hasContent: hasContent)
      .map { .field($0.name, recorded: $0.recorded, live: $0.live, rule: $0.rule) }
    changes += fields(old.trailers, new.trailers, hasContent: hasContent)
      .map { .trailer($0.name, recorded: $0.recorded, live: $0.live, rule: $0.rule) }
    changes += content(old.body, new.body)
    let omitted = changes.count - Self.changeLimit
    return omitted > 0
      ? changes.prefix(Self.changeLimit) + [.omitted(omitted)] : changes
  }

  private struct FieldChange {
    var name: HTTPField.Name
    var recorded: String?
    var live: String?
    var rule: Rule?
  }

  private func fields(
    _ recorded: HTTPFields, _ live: HTTPFields, hasContent: Bool
  ) -> [FieldChange] {
    var names: [HTTPField.Name] = []
    for field in Array(recorded) + Array(live) where !names.contains(field.name) {
      names.append(field.name)
    }
    return names.compactMap { name in
      let rule = fieldRules[name]
      // The content itself is compared, and a redaction changes its length.
      if rule == .ignored || (name == .contentLength && hasContent) { return nil }
      let (old, new) = (value(of: name, in: recorded), value(of: name, in: live))
      if old == new { return nil }
      guard let old, let new else { return FieldChange(name: name, recorded: old, live: new) }
      if let rule, rule.allows(.string(new), for: .string(old)) { return nil }
      return FieldChange(name: name, recorded: old, live: new, rule: rule)
    }
  }

  /// The lines joined: how a list is split into lines has no meaning (RFC 9110 §5.3).
  private func value(of name: HTTPField.Name, in fields: HTTPFields) -> String? {
    guard fields.contains(name) else { return nil }
    guard name == .setCookie else { return fields[name] }
    return fields[values: name].map(Self.withoutDates).joined(separator: "\n")
  }

  /// A Set-Cookie line with its attributes; the date of `Expires` is ignored.
  private static func withoutDates(_ line: String) -> String {
    line.split(separator: ";").map { part in
      let text = String(part).trimmingSpaces()
      return text.asciiLowercased().hasPrefix("expires=") ? "\(text.prefix(8))DATE" : text
    }.joined(separator: "; ")
  }

  private func content(
    _ recorded: HTTPArchive.Entry.Body, _ live: HTTPArchive.Entry.Body
  ) -> [Change] {
    if contentRule == .ignored { return [] }
    guard case .bytes(let old) = recorded else { return [] }
    guard case .bytes(let new) = live else {
      return [.content("recorded \(old.count) bytes, live more than the limit")]
    }
    if old == new { return [] }
    if let contentRule {
      let texts = [new, old].map { String(validating: $0, as: UTF8.self).map { JSON.string($0) } }
      if contentRule == .any, old.isEmpty == new.isEmpty { return [] }
      if let new = texts[0], let old = texts[1], contentRule.allows(new, for: old) { return [] }
    }
    guard max(old.count, new.count) <= jsonLimit, let json = JSON(old), json.isContainer else {
      return [.content(Self.firstDifference(old, new))]
    }
    guard let other = JSON(new) else {
      return [.content("recorded JSON, live \(new.isEmpty ? "nothing" : "text that is not JSON")")]
    }
    var comparison = JSONComparison()
    comparison.compare(json, other, at: "$", jsonRules)
    return comparison.changes
  }

  /// Where two contents first differ: by lines if both are text, by bytes otherwise.
  private static func firstDifference(_ recorded: [UInt8], _ live: [UInt8]) -> String {
    let sizes = "recorded \(recorded.count) bytes, live \(live.count)"
    let same = zip(recorded, live).prefix { $0 == $1 }.count
    guard let old = String(validating: recorded, as: UTF8.self),
      let new = String(validating: live, as: UTF8.self)
    else { return "byte \(same) differs; \(sizes)" }
    let line = recorded[..<same].count { $0 == 0x0A }
    func excerpt(_ text: String) -> String {
      let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
      guard line < lines.count else { return "nothing" }
      return String(decoding: lines[line].prefix(120), as: UTF8.self).debugDescription
    }
    return "line \(line + 1): recorded \(excerpt(old)), live \(excerpt(new)); \(sizes)"
  }
}
