import Foundation
import TransportPort

// Archives as JSON. Members that begin with an underscore are custom; other readers ignore them.
extension JSON {
  /// Creates the JSON of a whole archive.
  init(entries: [JSON], redaction: Redaction) {
    self = .object([
      "log": .object([
        "version": .string("1.2"),
        "creator": .object([
          "name": .string("swift-contract-testing"), "version": .string("1"),
        ]),
        "_redaction": redaction.json,
        "entries": .array(entries),
      ])
    ])
  }

  init(_ entry: HTTPArchive.Entry) {
    self = .object([
      "startedDateTime": .string(iso8601(entry.started ?? 0)),
      "time": .milliseconds(entry.waited + entry.received),
      "request": .request(entry),
      "response": .response(entry),
      "cache": .object([:]),
      "timings": .object([
        "send": .number(0), "wait": .milliseconds(entry.waited),
        "receive": .milliseconds(entry.received),
      ]),
      "_failure": entry.failure.map(JSON.failure),
    ])
  }

  private static func request(_ entry: HTTPArchive.Entry) -> JSON {
    let request = entry.request
    var postData: JSON?
    if case .bytes(let bytes) = entry.requestBody, !bytes.isEmpty {
      let (text, encoding) = Self.text(bytes)
      postData = .object([
        "mimeType": .string(request.headerFields[.contentType] ?? ""), "text": text,
        "_encoding": encoding,
      ])
    }
    return .object([
      "method": .string(request.method.rawValue),
      "url": .string(request.url),
      "httpVersion": .string("HTTP/1.1"),
      "cookies": .cookies(
        request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }),
      "headers": .fields(request.headerFields),
      "queryString": .array(
        Query.items(of: request.url).map {
          .object(["name": .string($0.name), "value": .string($0.value)])
        }),
      "postData": postData,
      "headersSize": .number(-1),
      "bodySize": .size(entry.requestBody),
      "_trailers": entry.requestTrailers.isEmpty ? nil : .fields(entry.requestTrailers),
    ])
  }

  private static func response(_ entry: HTTPArchive.Entry) -> JSON {
    let none = HTTPArchive.Entry.Response(head: HTTPResponse(status: .init(code: 0)))
    let response = entry.response ?? none
    let fields = response.head.headerFields
    var content: (text: JSON?, encoding: JSON?) = (nil, nil)
    if case .bytes(let bytes) = response.body { content = text(bytes) }
    let cookies = fields[values: .setCookie].compactMap { $0.split(separator: ";").first }
    return .object([
      "status": .number(response.head.status.code),
      "statusText": .string(response.head.status.reasonPhrase),
      "httpVersion": .string("HTTP/1.1"),
      "cookies": .cookies(cookies),
      "headers": .fields(fields),
      "content": .object([
        "size": .size(response.body),
        "mimeType": .string(fields[.contentType] ?? "x-unknown"),
        "text": content.text, "encoding": content.encoding,
        "comment": content.text == nil ? .string("left out: above the body limit") : nil,
      ]),
      "redirectURL": .string(fields[.location] ?? ""),
      "headersSize": .number(-1),
      "bodySize": .size(response.body),
      "_trailers": response.trailers.isEmpty ? nil : .fields(response.trailers),
      "_informationalResponses": response.informational.isEmpty
        ? nil : .array(response.informational.map(Self.informational)),
    ])
  }

  private static func informational(_ response: HTTPResponse) -> JSON {
    .object([
      "status": .number(response.status.code),
      "statusText": .string(response.status.reasonPhrase),
      "headers": .fields(response.headerFields),
    ])
  }

  private static func failure(_ failure: RecordedFailure) -> JSON {
    .object([
      "kind": .string(failure.kind ?? "other"), "phase": .string(failure.phase.rawValue),
      "bytesSent": .bool(failure.bytesSent), "code": failure.code.map { .number($0) },
      "detail": .string(failure.detail),
    ])
  }

  private static func fields(_ fields: HTTPFields) -> JSON {
    .array(
      fields.map { field in
        let isText = String(validating: field.bytes, as: UTF8.self) != nil
        return .object([
          "name": .string(field.name.rawName), "value": .string(field.value),
          "_base64": isText ? nil : .string(Data(field.bytes).base64EncodedString()),
        ])
      })
  }

  private static func cookies(_ pairs: [Substring]) -> JSON {
    .array(
      pairs.map { pair in
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces() }
        return .object([
          "name": .string(parts.first ?? ""), "value": .string(parts.dropFirst().first ?? ""),
        ])
      })
  }

  private static func size(_ body: HTTPArchive.Entry.Body) -> JSON {
    switch body {
    case .bytes(let bytes): .number(bytes.count)
    case .unknown(let size): .number(size)
    }
  }

  private static func text(_ bytes: [UInt8]) -> (text: JSON?, encoding: JSON?) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return (.string(Data(bytes).base64EncodedString()), .string("base64"))
    }
    return (.string(text), nil)
  }

  private static func milliseconds(_ seconds: Double) -> JSON {
    .number(String((seconds * 1_000_000).rounded() / 1_000))
  }
}
