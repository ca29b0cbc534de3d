import TransportDecoding
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
    if let authority = entry.request.authority, authority.contains("@"),
      !entry.request.headerFields.contains(.authorization)
    {
      throw .init(
        reason: "the recorded URL has a user, which a transport doesn't send; record Authorization")
    }
    var request = entry.request
    request.scheme = live.scheme.rawValue
    request.authority = live.authority
    request.path = query(in: request.path ?? "/")
    request.headerFields = HTTPFields(
      entry.request.headerFields.filter { !Self.isOfTransport($0, recorded) }.map { restored($0) })
    var content: [UInt8] = []
    switch entry.requestBody {
    case .bytes(let bytes): content = try self.content(bytes, request.headerFields)
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
    let placeholder = Redaction.placeholder
    guard !request.pathAndFields(trailers).contains(where: { $0.contains(placeholder) }),
      !content.contains(Redactor.placeholder)
    else { throw .init(reason: "a part of a value was redacted, which can't be inserted") }
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
    let isScheme = field.name == .authorization || field.name == .proxyAuthorization
    if text == placeholder, field.name != .cookie {
      return HTTPField(name: field.name, value: value(of: .field(field.name)))
    }
    switch field.name {
    case _ where isScheme && text.hasSuffix(" " + placeholder):
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
    var previous = ""
    let segments = url.path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      defer { previous = String(segment) }
      return segment == Redaction.placeholder ? value(of: .pathSegment(previous)) : String(segment)
    }
    url.path = segments.joined(separator: "/")
    url.query = url.query.map { restored($0) { .queryItem($0) } }
    return url.pathAndQuery
  }

  /// Replaces the placeholders in a query or a form.
  private mutating func restored(
    _ query: String, _ redacted: (String) -> RedactedValue
  ) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[1] == Redaction.placeholder else { return String(item) }
      let name = Query.decoded(String(parts[0]))
      return "\(parts[0])=\(value(of: redacted(name)).formEncoded)"
    }.joined(separator: "&")
  }

  private mutating func content(
    _ bytes: [UInt8], _ fields: HTTPFields
  ) throws(VerificationRun.NotVerified) -> [UInt8] {
    let codings = fields.list(.contentEncoding)
    let decoded: [UInt8]
    do throws(Redactor.Undecodable) { decoded = try Redactor.decoded(bytes, codings) } catch {
      return bytes
    }
    guard decoded.contains(Redactor.placeholder) else { return bytes }
    var content = decoded
    if (fields[.contentType] ?? "").asciiLowercased()
      .hasPrefix("application/x-www-form-urlencoded")
    {
      let text = String(decoding: decoded, as: UTF8.self)
      content = Array(restored(text) { .formField($0) }.utf8)
    } else {
      var paths = redaction.jsonPaths.sorted()
      JSON(decoded)?.redactedPaths(from: "$", into: &paths)
      for name in paths { insert(at: name, into: &content) }
    }
    for coding in codings {
      guard let encoded = WholeContent.encode(content, coding) else {
        throw .init(reason: "the content of the request can't be encoded as \(coding)")
      }
      content = encoded
    }
    return content
  }

  private mutating func insert(at name: String, into content: inout [UInt8]) {
    guard let path = JSONPath(name), let ranges = try? JSONPath.ranges(of: [path], in: content)
    else { return }
    for range in ranges.reversed()
    where Array(content[range]) == Array("\"\(Redaction.placeholder)\"".utf8) {
      var text: [UInt8] = []
      JSON.string(value(of: .jsonPath(name))).write(to: &text, level: nil)
      content.replaceSubrange(range, with: text)
    }
  }
}

extension JSON {
  /// Adds the paths of the strings that were redacted.
  fileprivate func redactedPaths(from path: String, into paths: inout [String]) {
    switch self {
    case .string(Redaction.placeholder): paths.append(path)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        element.redactedPaths(from: "\(path)[\(index)]", into: &paths)
      }
    case .object(let members):
      for member in members {
        member.value.redactedPaths(from: path + JSONPath.step(member.name), into: &paths)
      }
    case .null, .bool, .number, .string: break
    }
  }
}

extension HTTPRequest {
  /// The texts that may hold a placeholder.
  fileprivate func pathAndFields(_ trailers: HTTPFields) -> [String] {
    [path ?? ""] + (Array(headerFields) + Array(trailers)).map(\.value)
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
