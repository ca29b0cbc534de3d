public import TransportPort

extension ArchiveVerification {
  /// A place in a response, and the rule for its values.
  ///
  /// A value that equals the recorded one satisfies every rule. As text, a matcher is one line:
  /// ```
  /// field X-Request-Id uuid
  /// json $.items[*].updated date
  /// json $.total number 0...100
  /// json $.tags any-order
  /// content ignored
  /// ```
  public struct Matcher: Sendable, Hashable {
    enum Place: Sendable, Hashable {
      case field(HTTPField.Name)
      case json(String)
      case content
    }

    let place: Place
    let rule: Rule

    /// Matches a header or trailer field.
    public static func field(_ name: HTTPField.Name, _ rule: Rule) -> Self {
      Self(place: .field(name), rule: rule)
    }

    /// Matches values in JSON content: `user.id`, `$.items[*].id`, `$..id`, `items[0]`; `$` names the
    /// whole content.
    public static func json(_ path: String, _ rule: Rule) -> Self {
      Self(place: .json(path), rule: rule)
    }

    /// Matches content of any type as a whole.
    public static func content(_ rule: Rule) -> Self { Self(place: .content, rule: rule) }
  }
}

extension ArchiveVerification.Matcher {
  /// What may differ from the recorded value.
  public enum Rule: Sendable, Hashable {
    /// Any value, or none.
    case ignored
    /// Any value of the same JSON type; a field must be present.
    case any
    /// Another date: in ISO 8601 or of HTTP, as recorded; a number of seconds or milliseconds since
    /// 1970 for a recorded number.
    case date
    /// Another UUID.
    case uuid
    /// Another identifier of the recorded kind: a UUID, a whole number, or text without white space.
    case id
    /// Other text without white space.
    case token
    /// A number, or text that is one, in a range.
    case number(ClosedRange<Double>)
    /// The same elements of an array, or of a list in a field, in another order.
    case anyOrder
  }

  /// Reads the text of a matcher.
  ///
  /// - Throws: ``ArchiveVerificationError/invalidMatcher(_:)``.
  public init(_ text: String) throws(ArchiveVerificationError) {
    let words = text.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let kind = words.first, let (rule, length) = Rule.read(atEndOf: words.dropFirst()) else {
      throw .invalidMatcher(text)
    }
    let name = words.dropFirst().dropLast(length).joined(separator: " ")
    switch kind {
    case "field" where HTTPField.Name(name).isValid: self = .field(.init(name), rule)
    case "json" where JSONPath.steps(of: name) != nil: self = .json(name, rule)
    case "content" where name.isEmpty: self = .content(rule)
    default: throw .invalidMatcher(text)
    }
  }
}

extension ArchiveVerification.Matcher.Rule {
  private static let names: KeyValuePairs<String, Self> = [
    "ignored": .ignored, "any": .any, "date": .date, "uuid": .uuid, "id": .id, "token": .token,
    "any-order": .anyOrder,
  ]

  /// The texts of all rules.
  static var spellings: String {
    names.map(\.key).joined(separator: ", ") + ", number MIN...MAX"
  }

  /// Reads a rule, and returns it with its number of words.
  static func read(atEndOf words: ArraySlice<String>) -> (rule: Self, length: Int)? {
    guard let last = words.last else { return nil }
    if let rule = names.first(where: { $0.key == last })?.value { return (rule, 1) }
    guard words.dropLast().last == "number", let dots = last.firstRange(of: "...") else {
      return nil
    }
    let (lower, upper) = (last[..<dots.lowerBound], last[dots.upperBound...])
    guard let least = lower.isEmpty ? -.infinity : Double(lower),
      let most = upper.isEmpty ? .infinity : Double(upper), least <= most
    else { return nil }
    return (.number(least...most), 2)
  }

  /// What the rule requires, as a phrase after 'not'.
  var sentence: String {
    switch self {
    case .ignored, .any: "a value of the same type"
    case .date: "a date of the same format"
    case .uuid: "a UUID"
    case .id: "an identifier of the same kind"
    case .token: "text without white space"
    case .number(let range): "a number in \(range)"
    case .anyOrder: "the same elements in any order"
    }
  }

  /// Whether a live value may differ from a recorded one in this way. A field is a JSON string.
  ///
  /// The caller itself compares arrays whose order may differ.
  func allows(_ live: JSON, for recorded: JSON) -> Bool {
    if live.isEqual(to: recorded) { return true }
    switch (self, live, recorded) {
    case (.ignored, _, _): return true
    case (.any, _, _): return live.typeName == recorded.typeName
    case (.number(let range), .number(let text), _), (.number(let range), .string(let text), _):
      guard live.typeName == recorded.typeName, let number = Double(text) else { return false }
      return range.contains(number)
    case (.date, .number(let text), .number): return Double(text).map(Self.isTime) ?? false
    case (.date, .string(let text), .string(let old)):
      let formats = [isISO8601Date, isHTTPDate]
      let format = formats.first { $0(old) }
      return format.map { $0(text) } ?? formats.contains { $0(text) }
    case (.uuid, .string(let text), .string): return isUUID(text)
    case (.token, .string(let text), .string): return isToken(text)
    case (.id, .number(let text), .number): return isWhole(text)
    case (.id, .string(let text), .string(let old)):
      return [isUUID, isWhole].first { $0(old) }.map { $0(text) } ?? isToken(text)
    case (.anyOrder, .string(let text), .string(let old)):
      return Self.elements(of: text) == Self.elements(of: old)
    default: return false
    }
  }

  private static func elements(of list: String) -> [String] {
    list.split(separator: ",").map { String($0).trimmingSpaces() }.sorted()
  }

  /// From 2000 to 2100, in seconds or milliseconds since 1970.
  private static func isTime(_ number: Double) -> Bool {
    let range = 946_684_800.0...4_102_444_800.0
    return range.contains(number) || range.contains(number / 1_000)
  }
}

private func isUUID(_ text: String) -> Bool {
  let parts = text.split(separator: "-", omittingEmptySubsequences: false)
  return parts.map(\.utf8.count) == [8, 4, 4, 4, 12]
    && parts.allSatisfy { $0.utf8.allSatisfy { $0.hexDigit != nil } }
}

private func isWhole(_ text: String) -> Bool {
  let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
  return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
}

private func isToken(_ text: String) -> Bool {
  !text.isEmpty && text.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.value > 0x1F }
}

/// A day, or a day and a time with or without a zone (ISO 8601, RFC 3339).
private func isISO8601Date(_ text: String) -> Bool {
  let pattern =
    #/(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?/#
  guard let match = text.wholeMatch(of: pattern) else { return false }
  let (_, _, month, day, hour, minute, second) = match.output
  func isValid(_ text: Substring?, _ range: ClosedRange<Int>) -> Bool {
    text.map { range.contains(Int($0) ?? -1) } ?? true
  }
  return isValid(month, 1...12) && isValid(day, 1...31) && isValid(hour, 0...24)
    && isValid(minute, 0...59) && isValid(second, 0...60)
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`; also with another zone, and with the dashes of old cookies.
private func isHTTPDate(_ text: String) -> Bool {
  let pattern =
    #/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d)[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ -]\d{4} (\d\d):(\d\d):(\d\d) (?:GMT|UTC|[+-]\d{4})/#
  guard let (_, day, hour, minute, second) = text.wholeMatch(of: pattern)?.output else {
    return false
  }
  func isValid(_ text: Substring, _ range: ClosedRange<Int>) -> Bool {
    range.contains(Int(text) ?? -1)
  }
  return isValid(day, 1...31) && isValid(hour, 0...23) && isValid(minute, 0...59)
    && isValid(second, 0...60)
}
