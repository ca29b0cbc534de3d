/// One of the rules that always apply. A test takes out each of them, and shows what is written then.
enum RedactionRule: Sendable, Hashable {
  /// A format that is read, an encoding that is looked into, or a place that is searched.
  case reader(Reader)
  /// A word or an ending of a list of names.
  case name(String)
  /// A shape, by its prefix; without one by its rule.
  case shape(String)

  enum Reader: Sendable, Hashable, CaseIterable {
    case cookieAttributes, userinfo, query, fragment, path, pathParameters
    case trailers, interimResponses, reason, failure
    case json, describedValue, innerNames, keyParameters, variables
    case form, multipart, table, markup, innerElements, assignments, lines, keyBlocks, keys
    case base64, hexadecimal, gzip, utf16, percentEncoding, escapes, entities
    case randomWords, hashes
  }
}

extension Redactor {
  /// Whether a reader is used.
  func reads(_ reader: RedactionRule.Reader) -> Bool { missingReader != reader }
}
