import Foundation
import TransportPort

/// Replaces what a ``Redaction`` names, and collects the values that it replaced.
struct Redactor {
  /// Why content cannot be redacted.
  struct Failure: Error {
    var reason: String
  }

  let redaction: Redaction
  /// Whether the values are collected, which a replay does not need.
  private let collects: Bool
  private let paths: [JSONPath]
  private(set) var secrets = Secrets()

  init(_ redaction: Redaction, collects: Bool = true) {
    self.redaction = redaction
    self.collects = collects
    self.paths = redaction.jsonPaths.compactMap { JSONPath($0) }
  }

  /// Replaces everything in an entry.
  ///
  /// - Throws: ``RecordingError`` if content cannot be read.
  mutating func redact(
    _ entry: HTTPArchive.Entry, number: Int
  ) throws(RecordingError) -> HTTPArchive.Entry {
    var copy = entry
    copy.request.headerFields = redact(entry.request.headerFields)
    redactURL(of: &copy.request)
    copy.requestTrailers = redact(entry.requestTrailers)
    copy.requestBody = try redact(
      entry.requestBody, entry.request.headerFields, "request", number)
    guard let response = entry.response else { return copy }
    copy.response?.informational = response.informational.map { interim in
      HTTPResponse(status: interim.status, headerFields: redact(interim.headerFields))
    }
    copy.response?.head.headerFields = redact(response.head.headerFields)
    copy.response?.trailers = redact(response.trailers)
    copy.response?.body = try redact(
      response.body, response.head.headerFields, "response", number)
    return copy
  }

  /// Replaces what a URL has.
  mutating func redactURL(of request: inout HTTPRequest) {
    if let authority = request.authority, let at = authority.lastIndex(of: "@") {
      addUserinfo(String(authority[..<at]))
      request.authority = String(authority[authority.index(after: at)...])
    }
    if let path = request.path { request.path = redactURL(path) }
  }

  /// Replaces what a URL or a reference has.
  mutating func redactURL(_ text: String) -> String {
    var url = URLReference(text)
    if let authority = url.authority, let at = authority.lastIndex(of: "@") {
      addUserinfo(String(authority[..<at]))
      url.authority = Redaction.placeholder + authority[at...]
    }
    var found: [String] = []
    url.query = url.query.map {
      Query.replacing(redaction.queryItems, in: $0) { found.append($0) }
    }
    url.fragment = url.fragment.map {
      Query.replacing(redaction.queryItems, in: $0) { found.append($0) }
    }
    for value in found { add(value, "a query item") }
    return url.text == URLReference(text).text ? text : url.text
  }

  /// Replaces what content has.
  mutating func redact(_ bytes: [UInt8], contentType: String) throws(Failure) -> [UInt8] {
    let type = contentType.asciiLowercased()
    if !redaction.formFields.isEmpty, type.hasPrefix("application/x-www-form-urlencoded") {
      var found: [String] = []
      let text = Query.replacing(
        redaction.formFields, in: String(decoding: bytes, as: UTF8.self)
      ) { found.append($0) }
      for value in found { add(value, "a form field") }
      return found.isEmpty ? bytes : Array(text.utf8)
    }
    if type.hasPrefix("multipart/"),
      redaction.formFields.contains(where: { bytes.contains(Array("\"\($0)\"".utf8)) })
    {
      throw Failure(reason: "a field of a multipart form cannot be redacted")
    }
    guard !paths.isEmpty, !bytes.isEmpty else { return bytes }
    return try redactJSON(bytes, mustBeJSON: type.contains("json"))
  }

  private mutating func redactJSON(
    _ bytes: [UInt8], mustBeJSON: Bool
  ) throws(Failure) -> [UInt8] {
    let ranges: [Range<Int>]
    do { ranges = try JSONPath.ranges(of: paths, in: bytes) } catch {
      guard mustBeJSON else { return bytes }
      let reason = (error as? JSONFailure)?.description ?? "\(error)"
      throw Failure(reason: "its type is JSON, but it is not: \(reason)")
    }
    var output = bytes
    for range in ranges.reversed() {
      for leaf in JSON(Array(bytes[range]))?.leaves ?? [] { add(leaf, "a JSON path") }
      output.replaceSubrange(range, with: "\"\(Redaction.placeholder)\"".utf8)
    }
    return output
  }

  private mutating func redact(
    _ body: HTTPArchive.Entry.Body, _ fields: HTTPFields, _ part: String, _ number: Int
  ) throws(RecordingError) -> HTTPArchive.Entry.Body {
    let type = (fields[.contentType] ?? "").asciiLowercased()
    guard case .bytes(let bytes) = body else {
      // Content that is left out may hold a secret that is also elsewhere.
      let mayHold =
        (!paths.isEmpty && type.contains("json"))
        || (!redaction.formFields.isEmpty && type.contains("form"))
      guard !mayHold else {
        throw .contentNotReadable(entry: number, part: part, reason: "it is above the body limit")
      }
      return body
    }
    guard !bytes.isEmpty else { return body }
    do {
      return .bytes(try redact(bytes, contentType: type))
    } catch {
      throw .contentNotReadable(entry: number, part: part, reason: error.reason)
    }
  }

  private mutating func redact(_ fields: HTTPFields) -> HTTPFields {
    HTTPFields(
      fields.map { field in
        var field = field
        switch field.name {
        case .authorization, .proxyAuthorization: field.bytes = credentials(field)
        case .cookie: field.bytes = cookies(field.value)
        case .setCookie: field.bytes = setCookie(field.value)
        case .location, "Content-Location", "Referer":
          let text = redactURL(field.value)
          if text != field.value { field.bytes = Array(text.utf8) }
        default: break
        }
        if redaction.fields.contains(field.name) {
          secrets.add(field.bytes, "the field \(field.name)", except: redaction.allowedValues)
          field.bytes = Array(Redaction.placeholder.utf8)
        }
        return field
      })
  }

  private mutating func credentials(_ field: HTTPField) -> [UInt8] {
    let parts = field.value.split(separator: " ", maxSplits: 1).map { $0.trimmingSpaces() }
    guard parts.count == 2 else {
      add(field.value, "the field \(field.name)")
      return Array(Redaction.placeholder.utf8)
    }
    add(parts[1], "the field \(field.name)")
    if parts[0].asciiLowercased() == "basic", let data = Data(base64Encoded: parts[1]) {
      addUserinfo(String(decoding: data, as: UTF8.self), decodes: false)
    }
    // Digest and signatures: name="value", …
    for parameter in parts[1].split(separator: ",") where parameter.contains("=") {
      let value = parameter.drop { $0 != "=" }.dropFirst().trimmingSpaces()
      add(value.filter { $0 != "\"" }, "the field \(field.name)")
    }
    return Array("\(parts[0]) \(Redaction.placeholder)".utf8)
  }

  private mutating func cookies(_ text: String) -> [UInt8] {
    let pairs = text.split(separator: ";").map { cookie(String($0).trimmingSpaces()) }
    return Array(pairs.joined(separator: "; ").utf8)
  }

  private mutating func setCookie(_ text: String) -> [UInt8] {
    let end = text.firstIndex(of: ";") ?? text.endIndex
    return Array((cookie(text[..<end].trimmingSpaces()) + text[end...]).utf8)
  }

  private mutating func cookie(_ pair: String) -> String {
    guard let equals = pair.firstIndex(of: "=") else {
      add(pair, "a cookie")
      return Redaction.placeholder
    }
    add(String(pair[pair.index(after: equals)...]), "a cookie")
    return pair[...equals] + Redaction.placeholder
  }

  private mutating func addUserinfo(_ text: String, decodes: Bool = true) {
    let origin = "user and password"
    add(text, origin, decodes: decodes)
    guard let colon = text.firstIndex(of: ":") else { return }
    add(String(text[text.index(after: colon)...]), origin, decodes: decodes)
  }

  private mutating func add(_ text: String, _ origin: String, decodes: Bool = true) {
    guard collects else { return }
    secrets.add(Array(text.utf8), origin, except: redaction.allowedValues)
    let quoted = text.count > 2 && text.first == "\"" && text.last == "\""
    if quoted { secrets.add(Array(text.dropFirst().dropLast().utf8), origin, except: []) }
    guard decodes else { return }
    secrets.add(Array(text.utf8).percentDecoded, origin, except: redaction.allowedValues)
  }
}
