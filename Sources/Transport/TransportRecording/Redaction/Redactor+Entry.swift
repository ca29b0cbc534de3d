import Foundation
import TransportPort

extension Redactor {
  /// Replaces everything in an entry.
  ///
  /// - Throws: ``RecordingError`` if content cannot be read.
  mutating func redact(
    _ entry: HTTPArchive.Entry, number: Int
  ) throws(RecordingError) -> HTTPArchive.Entry {
    place = ["log.entries[\(number)]"]
    defer { place = [] }
    var copy = entry
    at("request.url") { $0.redactURL(of: &copy.request) }
    copy.request.headerFields = fields(
      entry.request.headerFields, "request.headers", isRequest: true)
    if reads(.trailers) {
      copy.requestTrailers = fields(entry.requestTrailers, "request trailers", isRequest: true)
    }
    copy.requestBody = try redact(
      entry.requestBody, entry.request.headerFields, "request", number)
    if let detail = entry.failure?.detail, reads(.failure) {
      copy.failure?.detail = at("failure") { $0.text(detail) }
    }
    guard let response = entry.response else { return copy }
    if reads(.interimResponses) {
      copy.response?.informational = response.informational.map { interim in
        HTTPResponse(
          status: interim.status, headerFields: fields(interim.headerFields, "interim response"))
      }
    }
    if reads(.reason) {
      copy.response?.head.status.reasonPhrase = text(response.head.status.reasonPhrase)
    }
    copy.response?.head.headerFields = fields(response.head.headerFields, "response.headers")
    if reads(.trailers) { copy.response?.trailers = fields(response.trailers, "response trailers") }
    copy.response?.body = try redact(
      response.body, response.head.headerFields, "response", number)
    return copy
  }

  /// Replaces what a text for people has.
  mutating func text(_ text: String) -> String {
    budget = 1 << 20
    return String(decoding: self.text(Array(text.utf8), named: "", Context()), as: UTF8.self)
  }

  private mutating func redact(
    _ body: HTTPArchive.Entry.Body, _ fields: HTTPFields, _ part: String, _ number: Int
  ) throws(RecordingError) -> HTTPArchive.Entry.Body {
    let type = fields[.contentType] ?? ""
    guard case .bytes(let bytes) = body else {
      // Content that is left out may hold a secret that is also elsewhere.
      let mayHold =
        (!paths.isEmpty && type.asciiLowercased().contains("json"))
        || (!redaction.names.isEmpty && type.asciiLowercased().contains("form"))
      guard !mayHold else {
        throw .contentNotReadable(entry: number, part: part, reason: "it is above the body limit")
      }
      return body
    }
    guard !bytes.isEmpty else { return body }
    place.append("\(part) content")
    defer { place.removeLast() }
    do throws(Failure) {
      return .bytes(
        try content(
          bytes, type: type, codings: contentIsDecoded ? [] : fields.list(.contentEncoding),
          isRequest: part == "request"))
    } catch {
      throw .contentNotReadable(entry: number, part: part, reason: error.reason)
    }
  }

  // MARK: Fields

  private mutating func fields(
    _ fields: HTTPFields, _ part: String, isRequest: Bool = false
  ) -> HTTPFields {
    HTTPFields(
      fields.map { field in
        at("\(part) '\(field.name)'") { $0.redact(field, isRequest: isRequest) }
      })
  }

  /// Replaces what a field has.
  mutating func redact(_ field: HTTPField, isRequest: Bool = true) -> HTTPField {
    let kind = isRequest ? 1 : 0
    if clean[kind].contains(field) { return field }
    budget = 1 << 20 + 64 * field.bytes.count
    let count = findings.count
    let redacted = HTTPField(
      name: field.name,
      bytes: value(field.bytes, named: field.name.rawName, Context(isRequest: isRequest)))
    if redacted == field, findings.count == count, clean[kind].count < 10_000 {
      clean[kind].insert(field)
    }
    return redacted
  }

  /// The field whose values are always secret that has a name; `nil` for another name.
  static func field(_ name: String) -> HTTPField.Name? {
    lengths.contains(name.utf8.count) ? fields[name.asciiLowercased()] : nil
  }

  /// Archives have many names, and few as long as one of these.
  private static let lengths = Set(fields.keys.map(\.utf8.count))

  private static let fields: [String: HTTPField.Name] = [
    "authorization": .authorization, "proxy-authorization": .proxyAuthorization, "cookie": .cookie,
    "set-cookie": .setCookie,
  ]

  /// Replaces the value of such a field, and keeps the scheme or the names of the cookies.
  mutating func credentials(in bytes: [UInt8], _ field: HTTPField.Name) -> [UInt8] {
    let text = String(fieldBytes: bytes)
    return switch field {
    case .cookie: cookies(text)
    // A browser's export joins the lines.
    case .setCookie:
      Array(text.split(separator: "\n").map { setCookie(String($0)) }.joined(separator: [0x0A]))
    default: credentials(text, "the field \(field)")
    }
  }

  private mutating func credentials(_ text: String, _ origin: String) -> [UInt8] {
    let parts = text.split(separator: " ", maxSplits: 1).map { $0.trimmingSpaces() }
    guard parts.count == 2 else { return secret(text, origin) }
    guard parts[1] != Redaction.placeholder else { return Array(text.utf8) }
    _ = secret(parts[1], origin)
    if parts[0].asciiLowercased() == "basic", let data = Data(base64Encoded: parts[1]) {
      addUserinfo(String(decoding: data, as: UTF8.self), decodes: false)
    }
    // Digest and signatures: name="value", …
    for parameter in parts[1].split(separator: ",") where parameter.contains("=") {
      let value = parameter.drop { $0 != "=" }.dropFirst().trimmingSpaces()
      add(Array(value.filter { $0 != "\"" }.utf8), origin)
    }
    return Array("\(parts[0]) \(Redaction.placeholder)".utf8)
  }

  /// Replaces a value that is always secret, even if it may occur elsewhere.
  private mutating func secret(_ text: String, _ origin: String) -> [UInt8] {
    _ = replace(Array(text.utf8), by: origin)
    add(Array(text.utf8), origin)
    return Self.placeholder
  }

  private mutating func cookies(_ text: String) -> [UInt8] {
    let pairs = text.split(separator: ";").map { cookie(String($0).trimmingSpaces()) }
    return Array(pairs.joined(separator: "; ").utf8)
  }

  private mutating func setCookie(_ text: String) -> [UInt8] {
    let end = text.firstIndex(of: ";") ?? text.endIndex
    let attributes = Array(text[end...].utf8)
    let redacted =
      reads(.cookieAttributes)
      ? self.text(attributes, named: "", Context(isRequest: false)) : attributes
    return Array(cookie(text[..<end].trimmingSpaces()).utf8) + redacted
  }

  private mutating func cookie(_ pair: String) -> String {
    let equals = pair.firstIndex(of: "=")
    let name = equals.map { String(pair[...$0]) } ?? ""
    let value = equals.map { String(pair[pair.index(after: $0)...]) } ?? pair
    _ = replace(Array(value.utf8), by: "a cookie", named: String(name.dropLast()))
    return name + Redaction.placeholder
  }
}
