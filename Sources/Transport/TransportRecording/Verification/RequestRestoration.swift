import TransportPort

/// Prepares a recorded request to be sent again: inserts its secrets and replaces its origin.
struct RequestRestoration {
  private let redaction: Redaction
  private let secret: @Sendable (RedactedValue) -> String?
  /// The secrets in the request.
  private var used: [[UInt8]] = []
  private var unknown: [RedactedValue] = []

  init(_ redaction: Redaction, _ secret: @escaping @Sendable (RedactedValue) -> String?) {
    self.redaction = redaction
    self.secret = secret
  }

  /// Returns the request and its content.
  mutating func request(
    of entry: HTTPArchive.Entry, from recorded: HTTPOrigin, to live: HTTPOrigin
  ) throws(VerificationRun.NotVerified) -> (HTTPRequest, HTTPRequestBody) {
    var request = entry.request
    request.scheme = live.scheme.rawValue
    request.authority = live.authority
    request.path = query(in: request.path ?? "/")
    request.headerFields = HTTPFields(
      entry.request.headerFields.filter { !Self.isOfTransport($0, recorded) }.map { restored($0) })
    var content: [UInt8] = []
    switch entry.requestBody {
    case .bytes(let bytes): content = self.content(bytes, request.headerFields[.contentType] ?? "")
    case .unknown:
      throw .init(reason: "the archive lacks the content of the request")
    }
    let trailers = HTTPFields(entry.requestTrailers.map { restored($0) })
    guard unknown.isEmpty else {
      var names: [String] = []
      for value in unknown {
        let name = "\(value) was redacted; set \(value.environmentVariable)"
        if !names.contains(name) { names.append(name) }
      }
      throw .init(reason: names.joined(separator: ", "))
    }
    if trailers.isEmpty { return (request, content.isEmpty ? .none : .bytes(content)) }
    let chunk = content
    let chunks = AsyncStream<[UInt8]> { continuation in
      continuation.yield(chunk)
      continuation.finish()
    }
    return (request, .stream(chunks, trailers: { trailers }))
  }

  /// Whether the transport derives the field from the origin, the content or its decoders.
  private static func isOfTransport(_ field: HTTPField, _ recorded: HTTPOrigin) -> Bool {
    if field.name == .host { return field.value == recorded.authority }
    return field.name.isOfConnection
      || [.contentLength, .acceptEncoding, .expect, .trailer, "TE"].contains(field.name)
  }

  private mutating func value(of redacted: RedactedValue) -> String {
    guard let value = secret(redacted) else {
      unknown.append(redacted)
      return Redaction.placeholder
    }
    used.append(Array(value.utf8))
    return value
  }

  private mutating func restored(_ field: HTTPField) -> HTTPField {
    let placeholder = Redaction.placeholder
    let text = field.value
    if text == placeholder, redaction.fields.contains(field.name) {
      return HTTPField(name: field.name, value: value(of: .field(field.name)))
    }
    switch field.name {
    case .authorization, .proxyAuthorization:
      guard text == placeholder || text.hasSuffix(" " + placeholder) else { return field }
      let scheme = text.dropLast(placeholder.count)
      return HTTPField(name: field.name, value: scheme + value(of: .field(field.name)))
    case .cookie:
      let pairs = text.split(separator: ";").map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).trimmingSpaces() }
        if parts == [placeholder] { return value(of: .cookie("")) }
        guard parts.count == 2, parts[1] == placeholder else {
          return String(pair).trimmingSpaces()
        }
        return "\(parts[0])=\(value(of: .cookie(parts[0])))"
      }
      return HTTPField(name: field.name, value: pairs.joined(separator: "; "))
    default: return field
    }
  }

  private mutating func query(in path: String) -> String {
    var url = URLReference(path)
    url.query = url.query.map { restored($0, redaction.queryItems) { .queryItem($0) } }
    return url.pathAndQuery
  }

  /// Replaces the placeholders of the named items in a query or a form.
  private mutating func restored(
    _ query: String, _ names: Set<String>, _ redacted: (String) -> RedactedValue
  ) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Query.decoded(String(parts[0]))
      guard parts.count == 2, parts[1] == Redaction.placeholder, names.contains(name) else {
        return String(item)
      }
      return "\(parts[0])=\(value(of: redacted(name)).formEncoded)"
    }.joined(separator: "&")
  }

  private mutating func content(_ bytes: [UInt8], _ type: String) -> [UInt8] {
    if type.asciiLowercased().hasPrefix("application/x-www-form-urlencoded") {
      let text = String(decoding: bytes, as: UTF8.self)
      return Array(restored(text, redaction.formFields) { .formField($0) }.utf8)
    }
    var output = bytes
    for name in redaction.jsonPaths.sorted() {
      guard let path = JSONPath(name),
        let ranges = try? JSONPath.ranges(of: [path], in: output)
      else { continue }
      for range in ranges.reversed()
      where Array(output[range]) == Array("\"\(Redaction.placeholder)\"".utf8) {
        var text: [UInt8] = []
        JSON.string(value(of: .jsonPath(name))).write(to: &text, level: nil)
        output.replaceSubrange(range, with: text)
      }
    }
    return output
  }
}

// MARK: - Answers

extension RequestRestoration {
  /// Replaces the secrets of the request, which an answer may repeat.
  func scrub(_ text: String) -> String {
    String(decoding: scrub(Array(text.utf8)), as: UTF8.self)
  }

  private func scrub(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for secret in used where secret.count >= Secrets.minimumLength {
      bytes = bytes.replacing(secret, with: Array(Redaction.placeholder.utf8))
    }
    return bytes
  }

  /// Content with the recorded origin in its links, without the secrets of the request.
  func localised(_ bytes: [UInt8], from live: HTTPOrigin, to recorded: HTTPOrigin) -> [UInt8] {
    let bytes = scrub(bytes)
    guard live != recorded else { return bytes }
    let name = Array(live.description.utf8)
    var output: [UInt8] = []
    var rest = bytes[...]
    while let range = rest.firstRange(of: name) {
      // `http://host` and `http://h:81` do not contain the origin `http://h`.
      let next = range.upperBound < rest.endIndex ? rest[range.upperBound] : 0
      let continues = next.isHostByte
      output += rest[..<range.lowerBound]
      output += continues ? name : Array(recorded.description.utf8)
      rest = rest[range.upperBound...]
    }
    return output + rest
  }

  /// Fields with the recorded origin in their links, without the secrets of the request.
  func localised(
    _ fields: HTTPFields, from live: HTTPOrigin, to recorded: HTTPOrigin
  ) -> HTTPFields {
    HTTPFields(
      fields.map {
        HTTPField(name: $0.name, bytes: localised($0.bytes, from: live, to: recorded))
      })
  }
}

extension UInt8 {
  fileprivate var isHostByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
