import Foundation
import TransportPort

/// Reads the parts of an archive that a replay needs.
///
/// It is lenient where exporters differ: custom fields, pseudo header fields of HTTP/2, entries
/// without content, sizes of any kind. It is strict where a replay would otherwise be wrong: a member
/// that a replay needs must exist once and have the right type.
struct ArchiveReading {
  /// The maximum number of field lines of a message. In memory, one takes 40 times the size of the
  /// shortest line in a file.
  static let fieldLimit = 10_000

  let entryLimit: Int
  var entries: [HTTPArchive.Entry] = []
  /// `nil` if the archive is not a recording of ours.
  var redaction: Redaction?

  init(entryLimit: Int) {
    self.entryLimit = entryLimit
  }

  mutating func read(_ reader: inout JSONReader) throws {
    var hasEntries = false
    try reader.object { name, reader in
      guard name == "log" else { return try reader.skip() }
      try reader.object { name, reader in
        switch name {
        case "entries":
          hasEntries = true
          // Refused before a large file takes seconds to read.
          guard reader.elementCount(limit: entryLimit) <= entryLimit else {
            throw HTTPArchiveError.tooManyEntries(limit: entryLimit)
          }
          try reader.array { _, reader in entries.append(try entry(&reader)) }
        case "version": try checkVersion(&reader)
        case "_redaction": redaction = try Redaction(from: &reader)
        default: try reader.skip()
        }
      }
    }
    guard hasEntries else { throw reader.failure("log.entries is missing") }
  }

  /// Every version 1 is read alike; some exporters leave it empty.
  private func checkVersion(_ reader: inout JSONReader) throws {
    guard reader.next() == UInt8(ascii: "\"") else { return try reader.skip() }
    let version = try reader.string()
    guard version.isEmpty || version == "1" || version.hasPrefix("1.") else {
      throw reader.failure("the version \(version.prefix(20).debugDescription) instead of 1.2")
    }
  }

  /// A date; some exporters leave it empty.
  private func date(_ reader: inout JSONReader) throws -> Double? {
    if try reader.readNull() { return nil }
    let text = try reader.string()
    if text.isEmpty { return nil }
    guard let date = seconds(of: text) else {
      throw reader.failure("\(text.prefix(40).debugDescription) is no date in ISO 8601")
    }
    return date
  }

  /// Checks a time in milliseconds; -1 stands for none.
  private func checkTime(_ reader: inout JSONReader) throws {
    guard let first = reader.next(), first == UInt8(ascii: "-") || first.isDigit else {
      return try reader.skip()
    }
    let text = try reader.number()
    guard let time = Double(text), abs(time) <= 1e12 else {
      throw reader.failure("\(text.prefix(40)) is no time in milliseconds")
    }
  }

  private func entry(_ reader: inout JSONReader) throws -> HTTPArchive.Entry {
    var entry: HTTPArchive.Entry?
    var response: (response: HTTPArchive.Entry.Response?, failure: RecordedFailure?)?
    var started: Double?
    var failure: RecordedFailure?
    try reader.object { name, reader in
      switch name {
      case "startedDateTime": started = try date(&reader)
      case "time": try checkTime(&reader)
      case "timings" where reader.next() == UInt8(ascii: "{"):
        try reader.object { try checkTime(&$1) }
      case "request": entry = try request(&reader)
      case "response": response = try self.response(&reader)
      case "_failure": failure = try RecordedFailure(from: &reader)
      default: try reader.skip()
      }
    }
    guard var entry else { throw reader.failure("the entry has no request") }
    guard let response else { throw reader.failure("the entry has no response") }
    entry.started = started
    entry.response = response.response
    entry.failure = failure ?? response.failure
    if let status = response.response?.head.status.code,
      status == 204 || status == 304 || entry.request.method == .head
    {
      // Chromium writes what its cache has, or an error because there is no content to read.
      entry.response?.body = .empty
      entry.failure = failure
    }
    return entry
  }

  private func request(_ reader: inout JSONReader) throws -> HTTPArchive.Entry {
    var method: String?
    var url: String?
    var fields = HTTPFields()
    var trailers = HTTPFields()
    var size = 0
    var body: HTTPArchive.Entry.Body?
    try reader.object { name, reader in
      switch name {
      case "method": method = try reader.string()
      case "url": url = try reader.string()
      case "headers": fields = try self.fields(&reader)
      case "_trailers": trailers = try self.fields(&reader)
      case "bodySize": size = try integer(&reader)
      case "postData": body = try postData(&reader)
      default: try reader.skip()
      }
    }
    guard let method, method.isToken else { throw reader.failure("no method that is a token") }
    guard let url else { throw reader.failure("the request has no url") }
    guard !url.prefix(5).asciiLowercased().hasPrefix("file:") else {
      throw reader.failure("a request for a file of the computer that exported it")
    }
    if case .bytes(let bytes) = body, let length = fields[.contentLength].flatMap({ Int($0) }) {
      body = .bytes(Self.original(bytes, length: length))
    }
    let mayHaveBody = !["GET", "HEAD", "OPTIONS", "TRACE", "DELETE"].contains(method)
    return HTTPArchive.Entry(
      started: nil,
      request: HTTPRequest(method: .init(method), url: url, headerFields: fields),
      requestBody: body ?? (size > 0 || (size < 0 && mayHaveBody) ? .unknown(size: size) : .empty),
      requestTrailers: trailers)
  }

  /// Chromium writes content that is not text as if it were in ISO 8859-1, which the length of the request
  /// tells.
  private static func original(_ bytes: [UInt8], length: Int) -> [UInt8] {
    guard bytes.count != length else { return bytes }
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    let original = scalars.compactMap { UInt8(exactly: $0.value) }
    return original.count == length && scalars.count == length ? original : bytes
  }

  private func postData(_ reader: inout JSONReader) throws -> HTTPArchive.Entry.Body? {
    if try reader.readNull() { return nil }
    var text: String?
    var encoding: String?
    var params: [String] = []
    try reader.object { name, reader in
      switch name {
      case "text": text = try reader.readNull() ? nil : reader.string()
      case "_encoding", "encoding": encoding = try reader.readNull() ? nil : reader.string()
      case "params" where reader.next() == UInt8(ascii: "["): params = try parameters(&reader)
      default: try reader.skip()
      }
    }
    if let text, !text.isEmpty || params.isEmpty {
      return .bytes(try decode(text, encoding, reader))
    }
    return params.isEmpty ? .unknown(size: -1) : .bytes(Array(params.joined(separator: "&").utf8))
  }

  private func parameters(_ reader: inout JSONReader) throws -> [String] {
    var all: [String] = []
    try reader.array { _, reader in
      var pair = (name: "", value: "")
      try reader.object { name, reader in
        switch name {
        case "name": pair.name = try reader.string()
        case "value": pair.value = try reader.readNull() ? "" : reader.string()
        default: try reader.skip()
        }
      }
      all.append("\(pair.name.formEncoded)=\(pair.value.formEncoded)")
    }
    return all
  }

  private func response(
    _ reader: inout JSONReader
  ) throws -> (HTTPArchive.Entry.Response?, RecordedFailure?) {
    var status: Int?
    var response = HTTPArchive.Entry.Response(head: HTTPResponse(status: .init(code: 0)))
    var error: String?
    try reader.object { name, reader in
      switch name {
      case "status": status = try integer(&reader)
      case "statusText":
        response.head.status.reasonPhrase = try reader.readNull() ? "" : reader.string()
      case "headers": response.head.headerFields = try fields(&reader)
      case "content": response.body = try content(&reader)
      case "_trailers": response.trailers = try fields(&reader)
      case "_informationalResponses":
        try reader.array { response.informational.append(try informational(&$1)) }
      case "_error": error = try reader.readNull() ? nil : reader.string()
      default: try reader.skip()
      }
    }
    guard let status else { throw reader.failure("the response has no status") }
    // Exporters write 0 for a request that was blocked, cancelled, failed or answered by a cache.
    if status == 0 { return (nil, RecordedFailure(foreign: error)) }
    guard (200...999).contains(status) || status == 101 else {
      throw reader.failure("\(status) is no status of a final response")
    }
    response.head.status.code = status
    return (response, error.map { RecordedFailure(foreign: $0) })
  }

  private func informational(_ reader: inout JSONReader) throws -> HTTPResponse {
    var response = HTTPResponse(status: .init(code: 0))
    try reader.object { name, reader in
      switch name {
      case "status": response.status.code = try integer(&reader)
      case "statusText": response.status.reasonPhrase = try reader.string()
      case "headers": response.headerFields = try fields(&reader)
      default: try reader.skip()
      }
    }
    guard response.status.isInformational else {
      throw reader.failure("\(response.status.code) is no status of an interim response")
    }
    return response
  }

  private func content(_ reader: inout JSONReader) throws -> HTTPArchive.Entry.Body {
    var text: String?
    var encoding: String?
    var size = 0
    try reader.object { name, reader in
      switch name {
      case "text": text = try reader.readNull() ? nil : reader.string()
      case "encoding": encoding = try reader.readNull() ? nil : reader.string()
      case "size" where reader.next() != UInt8(ascii: "n"): size = try integer(&reader)
      default: try reader.skip()
      }
    }
    guard let text else { return size > 0 ? .unknown(size: size) : .empty }
    return .bytes(try decode(text, encoding, reader))
  }

  private func decode(
    _ text: String, _ encoding: String?, _ reader: JSONReader
  ) throws -> [UInt8] {
    switch encoding?.asciiLowercased() {
    case nil, "": return Array(text.utf8)
    case "base64":
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw reader.failure("content that is not base64")
      }
      return Array(data)
    case let other?:
      throw reader.failure("content in the unknown encoding \(other.prefix(40).debugDescription)")
    }
  }

  private func fields(_ reader: inout JSONReader) throws -> HTTPFields {
    var fields = HTTPFields()
    try reader.array { _, reader in
      var name: String?
      var value: String?
      var base64: String?
      try reader.object { member, reader in
        switch member {
        case "name": name = try reader.string()
        case "value": value = try reader.string()
        case "_base64": base64 = try reader.string()
        default: try reader.skip()
        }
      }
      guard let name, let value else { throw reader.failure("a field without name or value") }
      if name.utf8.first == UInt8(ascii: ":") { return }
      // Chromium joins the lines of Set-Cookie with line feeds.
      let lines =
        base64 == nil
        ? value.split(
          separator: "\n", maxSplits: Self.fieldLimit, omittingEmptySubsequences: false) : []
      var new = lines.map { HTTPField(name: .init(name), value: String($0)) }
      if let base64 {
        new = [HTTPField(name: .init(name), bytes: try decode(base64, "base64", reader))]
      }
      for field in new {
        guard fields.count < Self.fieldLimit else {
          throw reader.failure("a message with more than \(Self.fieldLimit) fields")
        }
        guard field.name.isValid, field.hasValidValue else {
          throw reader.failure("a field that is not valid in HTTP")
        }
        fields.append(field)
      }
    }
    return fields
  }

  private func integer(_ reader: inout JSONReader) throws -> Int {
    let text = try reader.number()
    guard let number = Double(text).flatMap(Int.init(exactly:)) else {
      throw reader.failure("\(text.prefix(40)) is not a whole number in range")
    }
    return number
  }
}

extension RecordedFailure {
  /// The failure of an archive of ours.
  init(from reader: inout JSONReader) throws {
    self.init(kind: "other", phase: .awaitingHead, bytesSent: true, detail: "")
    try reader.object { name, reader in
      switch name {
      case "kind": kind = try reader.string()
      case "phase":
        let text = try reader.string()
        guard let known = TransportError.Phase(rawValue: text) else {
          throw reader.failure("an unknown phase")
        }
        phase = known
      case "bytesSent": bytesSent = try reader.bool()
      case "code":
        guard let number = Int(try reader.number()) else {
          throw reader.failure("a code too large")
        }
        code = number
      case "detail": detail = try reader.string()
      default: try reader.skip()
      }
    }
  }

  /// The failure of an archive of a browser or a proxy, whose texts differ.
  init(foreign error: String?) {
    let names = [
      "net::ERR_CONNECTION_REFUSED": "connectionRefused",
      "net::ERR_CONNECTION_RESET": "connectionReset", "net::ERR_EMPTY_RESPONSE": "emptyReply",
      "net::ERR_NAME_NOT_RESOLVED": "nameNotResolved",
      "net::ERR_CONNECTION_TIMED_OUT": "connectTimeout",
      "net::ERR_INCOMPLETE_CHUNKED_ENCODING": "truncatedBody",
      "net::ERR_CONTENT_LENGTH_MISMATCH": "truncatedBody",
    ]
    self.init(
      kind: error.flatMap { names[$0] }, phase: .awaitingHead, bytesSent: true,
      detail: "the archive has no response: \(error ?? "status 0")")
  }
}

extension String {
  /// The text as a name or value of application/x-www-form-urlencoded.
  var formEncoded: String {
    var text = ""
    for byte in utf8 {
      if byte.isDigit || byte.isLetter || "-._*".utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else if byte == 0x20 {
        text += "+"
      } else {
        text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
      }
    }
    return text
  }
}
