import TransportPort

extension Redactor {
  /// Replaces what the URL of a request has, and returns its path and query without a user.
  mutating func redactURL(of request: inout HTTPRequest) {
    if let authority = request.authority, let at = authority.lastIndex(of: "@") {
      addUserinfo(String(authority[..<at]))
      request.authority = String(authority[authority.index(after: at)...])
    }
    if let path = request.path { request.path = redactURL(path) }
  }

  /// Replaces what the URL of a request has.
  mutating func redactURL(_ text: String) -> String {
    budget = 1 << 20
    let redacted = url(Array(text.utf8), named: "", Context(isRequest: true), isTarget: true)
    return String(decoding: redacted, as: UTF8.self)
  }

  /// Replaces what a URL or a reference has.
  ///
  /// - Parameter isTarget: Whether it is the URL of the request. A random segment in the path of another
  ///   URL identifies something.
  mutating func url(
    _ bytes: [UInt8], named name: String, _ context: Context, isTarget: Bool = false
  ) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    var url = URLReference(text)
    var inner = context.inner
    guard inner.depth > 0 else { return bytes }
    if let authority = url.authority, let at = authority.lastIndex(of: "@"), reads(.userinfo) {
      addUserinfo(String(authority[..<at]))
      url.authority = Redaction.placeholder + authority[at...]
    }
    let original = url
    if reads(.query) { url.query = url.query.map { query(of: $0, inner) } }
    if reads(.fragment) { url.fragment = url.fragment.map { fragment(of: $0, inner) } }
    inner.suspects = inner.suspects && isTarget
    if reads(.path) { url.path = path(of: url, inner) }
    if url == original, url.authority == URLReference(text).authority { return bytes }
    return Array(url.text.utf8)
  }

  private mutating func query(of text: String, _ context: Context) -> String {
    String(decoding: items(Array(text.utf8), "item", context), as: UTF8.self)
  }

  /// A fragment with items of its own, or with the path and the query of a page.
  private mutating func fragment(of text: String, _ context: Context) -> String {
    guard let mark = text.firstIndex(of: "?") else { return query(of: text, context) }
    return text[...mark] + query(of: String(text[text.index(after: mark)...]), context)
  }

  /// Replaces the values of items with names, in a query or a form.
  mutating func items(_ bytes: [UInt8], _ what: String, _ context: Context) -> [UInt8] {
    let items = bytes.split(separator: 0x26, omittingEmptySubsequences: false).map { item in
      guard let equals = item.firstIndex(of: 0x3D) else {
        return component(Array(item), named: "", context)
      }
      let name = String(decoding: Array(item[..<equals]).percentDecoded(), as: UTF8.self)
      let value = Array(item[item.index(after: equals)...])
      return at("\(what) '\(name)'") { $0.component(value, named: name, context) }.withPrefix(
        item[...equals])
    }
    return Array(items.joined(separator: [0x26]))
  }

  /// Replaces a value that is percent-encoded.
  private mutating func component(
    _ bytes: [UInt8], named name: String, _ context: Context
  ) -> [UInt8] {
    let decoded = bytes.percentDecoded()
    let redacted = value(decoded, named: name, context)
    if redacted == decoded { return bytes }
    return Array(String(decoding: redacted, as: UTF8.self).formEncoded.utf8)
  }

  /// Replaces segments: those that a template names, those after a segment that names a secret, and
  /// parameters such as `;jsessionid=x`.
  private mutating func path(of url: URLReference, _ context: Context) -> String {
    let bytes = Array(url.path.utf8)
    var segments = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
    let named = segments.indices.filter { !segments[$0].isEmpty }
    for template in pathTemplates {
      guard let ranges = template.ranges(inSegments: named.map { segments[$0] }) else { continue }
      for (index, holes) in zip(named, ranges) {
        for hole in holes.reversed() {
          let secret = replace(Array(bytes[hole]), by: "a path", isExplicit: true)
          let start = segments[index].startIndex
          var segment = Array(segments[index])
          segment.replaceSubrange(hole.lowerBound - start..<hole.upperBound - start, with: secret)
          segments[index] = bytesSlice(segment, at: start)
        }
      }
    }
    var previous = ""
    for index in segments.indices where !segments[index].isEmpty {
      let name = previous
      let parts = segments[index].split(separator: 0x3B, omittingEmptySubsequences: false)
      let redacted = parts.enumerated().map { number, part in
        if number > 0 {
          return reads(.pathParameters) ? items(Array(part), "parameter", context) : Array(part)
        }
        return at(name.isEmpty ? "path" : "path after '\(name)'") {
          $0.segment(Array(part), after: name, context)
        }
      }
      segments[index] = Array(redacted.joined(separator: [0x3B]))[...]
      previous = String(decoding: bytes.isEmpty ? [] : Array(parts[0]), as: UTF8.self)
    }
    return String(decoding: Array(segments.joined(separator: [0x2F])), as: UTF8.self)
  }

  /// The slice of a changed segment, at the position where it was.
  private func bytesSlice(_ segment: [UInt8], at start: Int) -> ArraySlice<UInt8> {
    ([UInt8](repeating: 0, count: start) + segment)[start...]
  }

  private mutating func segment(
    _ bytes: [UInt8], after name: String, _ context: Context
  ) -> [UInt8] {
    let decoded = bytes.percentDecoded(plus: false)
    var context = context
    // After a plural, or between a file's slashes, a random segment identifies something.
    let identifies = name.hasSuffix("s") || name == "d" || kind(of: name) == .harmless
    context.suspects = context.suspects && !identifies
    context.isRequest = false
    let isNamed = kind(of: name) == .secret || kind(of: name) == .possible
    let redacted =
      isNamed && RandomWord.isLikelySecret(decoded)
      ? replace(decoded, by: "the path segment '\(name)'") : prose(segment: decoded, context)
    return redacted == decoded
      ? bytes : Array(String(decoding: redacted, as: UTF8.self).percentEncoded.utf8)
  }

  private mutating func prose(segment: [UInt8], _ context: Context) -> [UInt8] {
    // A segment that begins with a slash when decoded would be taken for a path.
    segment.first == 0x2F ? segment : text(segment, named: "", context)
  }

  mutating func addUserinfo(_ text: String, decodes: Bool = true) {
    let origin = "user and password"
    _ = replace(Array(text.utf8), by: origin)
    add(Array(text.utf8), origin, decodes: decodes)
    guard let colon = text.firstIndex(of: ":") else { return }
    add(Array(text[text.index(after: colon)...].utf8), origin, decodes: decodes)
  }

  /// The ranges of absolute URLs in a text.
  static func urls(in bytes: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var position = 0
    while let colon = bytes.firstIndex(of: 0x3A, from: position) {
      position = colon + 1
      guard position + 1 < bytes.count, bytes[position] == 0x2F, bytes[position + 1] == 0x2F else {
        continue
      }
      var start = colon
      while start > (ranges.last?.upperBound ?? 0), bytes[start - 1].isSchemeByte { start -= 1 }
      var end = position + 2
      while end < bytes.count, bytes[end].isVisible, !"{}|^,)]".utf8.contains(bytes[end]) {
        end += 1
      }
      guard start < colon, end > position + 2 else { continue }
      ranges.append(start..<end)
      position = end
    }
    return ranges
  }
}

extension UInt8 {
  fileprivate var isSchemeByte: Bool {
    isLetter || isDigit || self == 0x2B || self == 0x2E || self == 0x2D
  }
}

extension [UInt8] {
  fileprivate func withPrefix(_ prefix: some Sequence<UInt8>) -> [UInt8] { Array(prefix) + self }
}

extension String {
  /// The text with every byte but unreserved characters percent-encoded (RFC 3986 §2.3).
  var percentEncoded: String { formEncoded.replacing("+", with: "%20") }
}
