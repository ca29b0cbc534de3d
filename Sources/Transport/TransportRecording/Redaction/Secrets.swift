import Foundation
import TransportPort

/// The values that were redacted, and the search for them in everything that will be written.
struct Secrets {
  /// The minimum length of a value that is searched for, in bytes.
  static let minimumLength = 4

  private struct Needle {
    var bytes: [UInt8]
    var origin: String
    var form: String
  }

  private var known: Set<[UInt8]> = []
  /// By their first two bytes.
  private var needles: [[Needle]] = []

  var isEmpty: Bool { known.isEmpty }

  /// Adds a value.
  mutating func add(_ value: [UInt8], _ origin: String, except allowed: Set<String>) {
    guard value.count >= Self.minimumLength, value != Array(Redaction.placeholder.utf8),
      !allowed.contains(String(decoding: value, as: UTF8.self)), known.insert(value).inserted
    else { return }
    insert(value, origin, "")
    for (form, bytes) in Self.encodings(of: value) { insert(bytes, origin, form) }
  }

  private mutating func insert(_ bytes: [UInt8], _ origin: String, _ form: String) {
    if needles.isEmpty { needles = Array(repeating: [], count: 65_536) }
    needles[Int(bytes[0]) << 8 | Int(bytes[1])]
      .append(Needle(bytes: bytes, origin: origin, form: form))
  }

  /// The value as hexadecimal digits, and as it appears inside base64 wherever it begins there.
  private static func encodings(of value: [UInt8]) -> [(String, [UInt8])] {
    let digits = Array("0123456789abcdef".utf8)
    let hex = value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    var all = [
      ("in hexadecimal", hex),
      ("in hexadecimal", Array(String(decoding: hex, as: UTF8.self).uppercased().utf8)),
    ]
    for shift in 0..<3 {
      let data = Data([UInt8](repeating: 0, count: shift) + value)
      // The characters whose six bits are all of the value.
      let first = (8 * shift + 5) / 6
      let end = 8 * (shift + value.count) / 6
      let text = Array(data.base64EncodedString().utf8)[first..<end]
      let forURLs: [UInt8] = text.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
      all.append(("as base64", Array(text)))
      if forURLs != Array(text) { all.append(("as base64", forURLs)) }
    }
    return all
  }

  /// Where a value is in the JSON of an archive, without the value itself.
  ///
  /// Numbers and dates are the recorder's own, and equal a short secret only by chance.
  func places(in json: JSON, path: String) -> [String] {
    switch json {
    case .null, .bool, .number: []
    case .string(let text): places(in: Array(text.utf8), path)
    case .array(let elements):
      elements.enumerated().flatMap { places(in: $1, path: "\(path)[\($0)]") }
    case .object(let members):
      members.filter { $0.name != "startedDateTime" }
        .flatMap { places(in: $0.value, path: "\(path).\($0.name)") } + decoded(members, path)
    }
  }

  /// Searches the bytes behind a text in base64.
  private func decoded(_ members: [JSON.Member], _ path: String) -> [String] {
    func text(_ names: String...) -> String? {
      for member in members where names.contains(member.name) {
        if case .string(let text) = member.value { return text }
      }
      return nil
    }
    let base64 = text("encoding", "_encoding") == "base64" ? text("text") : text("_base64")
    guard let data = base64.flatMap({ Data(base64Encoded: $0) }) else { return [] }
    return places(in: Array(data), path)
  }

  /// Where a value is in one text.
  func places(in bytes: [UInt8], _ path: String) -> [String] {
    guard !isEmpty else { return [] }
    var places: [String] = []
    for (form, view) in Self.views(of: bytes) {
      guard let needle = first(in: view) else { continue }
      let forms = [form, needle.form].filter { !$0.isEmpty }.joined(separator: ", ")
      places.append(
        "\(path) has the value of \(needle.origin)" + (forms.isEmpty ? "" : ", \(forms)"))
      break
    }
    return places
  }

  private func first(in bytes: [UInt8]) -> Needle? {
    guard bytes.count >= Self.minimumLength else { return nil }
    return bytes.withUnsafeBufferPointer { haystack in
      needles.withUnsafeBufferPointer { needles in
        for start in 0..<(haystack.count - 1) {
          let group = needles[Int(haystack[start]) << 8 | Int(haystack[start + 1])]
          if group.isEmpty { continue }
          for needle in group where haystack[start...].starts(with: needle.bytes) { return needle }
        }
        return nil
      }
    }
  }

  /// The text as it is, and as it reads when escapes are decoded, up to two of them nested.
  private static func views(of bytes: [UInt8]) -> [(String, [UInt8])] {
    var views = [("", bytes)]
    var level = views
    for _ in 0..<2 {
      level = level.flatMap { form, bytes in
        [("percent-encoded", bytes.percentDecoded()), ("JSON-escaped", bytes.unescaped)]
          .filter { $0.1 != bytes }
      }
      views += level
    }
    return views
  }
}

extension Secrets {
  /// Where a value is in content with a Content-Encoding, which the JSON has encoded.
  func places(inEncoded entry: HTTPArchive.Entry, path: String) -> [String] {
    let parts = [
      ("request", entry.request.headerFields, entry.requestBody),
      ("response", entry.response?.head.headerFields ?? [:], entry.response?.body ?? .empty),
    ]
    return parts.flatMap { part, fields, body -> [String] in
      let codings = fields.list(.contentEncoding)
      guard !isEmpty, case .bytes(let bytes) = body, !bytes.isEmpty, !codings.isEmpty else {
        return []
      }
      let decoded: [[UInt8]]
      do throws(Redactor.Undecodable) { decoded = [try Redactor.decoded(bytes, codings)] } catch {
        decoded = error.readable
      }
      return decoded.flatMap { places(in: $0, "\(path).\(part), decoded,") }
    }
  }
}

extension [UInt8] {
  /// The bytes with the escapes of JSON decoded, wherever they are.
  var unescaped: [UInt8] {
    guard contains(UInt8(ascii: "\\")) else { return self }
    var output: [UInt8] = []
    var index = 0
    var high: UInt32?
    while index < count {
      guard self[index] == UInt8(ascii: "\\"), index + 1 < count else {
        output.append(self[index])
        index += 1
        continue
      }
      if self[index + 1] == UInt8(ascii: "u"), let code = code(at: index + 2) {
        index += 6
        if (0xD800...0xDBFF).contains(code) {
          high = code
        } else if let first = high, (0xDC00...0xDFFF).contains(code) {
          let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (code - 0xDC00))
          output += String(scalar ?? "\u{FFFD}").utf8
          high = nil
        } else {
          output += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8
        }
        continue
      }
      let escapes: [UInt8: UInt8] = [0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]
      output.append(escapes[self[index + 1]] ?? self[index + 1])
      index += 2
    }
    return output
  }

  private func code(at start: Int) -> UInt32? {
    guard start + 4 <= count else { return nil }
    return self[start..<start + 4].reduce(0 as UInt32?) { code, byte in
      guard let code, let digit = byte.hexDigit else { return nil }
      return code << 4 | UInt32(digit)
    }
  }
}
