import Foundation
import TransportPort

extension Redactor {
  /// Values after a name and `=` or `:` in prose, programs and everything that has no parser here.
  ///
  /// `password: "x"`, `"token" : "x"`, `Password=x;`, `headers['X-Api-Key'] = 'x'`, `Authorization: Bearer x`.
  mutating func assignments(in bytes: [UInt8], _ context: Context) -> [Replacement] {
    var replacements: [Replacement] = []
    var index = 0
    while index < bytes.count {
      guard bytes[index] == 0x3A || bytes[index] == 0x3D,
        var name = Self.name(before: index, in: bytes)
      else {
        index += 1
        continue
      }
      if name == "value", bytes[index] == 0x3A {
        name = Self.name(describedBefore: index, in: bytes) ?? name
      }
      let isSecret = isNamed(name) || kind(of: name) == .secret
      guard isSecret || kind(of: name) == .possible,
        let value = Self.value(after: index, in: bytes, isLine: Self.isCookie(name)),
        let found = secret(in: bytes, value, named: name, context)
      else {
        index += 1
        continue
      }
      replacements.append(found)
      index = found.range.upperBound
    }
    return replacements
  }

  /// Passwords in commands: `curl -u me:x`.
  mutating func commandPasswords(in bytes: [UInt8]) -> [Replacement] {
    guard bytes.contains(Array("curl ".utf8)) else { return [] }
    let data = Data(bytes)
    var replacements: [Replacement] = []
    for option in [" -u ", " --user "] {
      var start = 0
      while let found = data.range(of: Data(option.utf8), in: start..<bytes.count) {
        start = found.upperBound
        if start < bytes.count, bytes[start] == 0x22 || bytes[start] == 0x27 { start += 1 }
        let end = bytes[start...].firstIndex { !$0.isVisible } ?? bytes.count
        guard let colon = bytes[start..<end].firstIndex(of: 0x3A),
          end - colon > Secrets.minimumLength
        else { continue }
        let password = Array(bytes[(colon + 1)..<end])
        replacements.append(
          Replacement(
            range: colon + 1..<end, bytes: replace(password, by: "a command", isExplicit: false)))
      }
    }
    return replacements.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private static func isCookie(_ name: String) -> Bool {
    ["cookie", "set-cookie"].contains(name.asciiLowercased())
  }

  private mutating func secret(
    in bytes: [UInt8], _ value: Value, named name: String, _ context: Context
  ) -> Replacement? {
    var range = value.range
    // The scheme stays.
    let schemes = ["bearer", "basic", "token", "digest", "negotiate", "aws4-hmac-sha256", "apikey"]
    let first = bytes[range].prefix { $0 != 0x20 }
    if schemes.contains(String(decoding: first, as: UTF8.self).asciiLowercased()) {
      var start = first.endIndex
      while start < bytes.count, bytes[start] == 0x20 { start += 1 }
      let end = value.isQuoted ? range.upperBound : Self.end(ofWord: bytes, from: start)
      guard start < end else { return nil }
      range = start..<end
    }
    let secret = Array(bytes[range])
    guard range.count >= Secrets.minimumLength,
      let rule = rule(
        for: secret, named: name,
        isStrict: !context.isCode
          && (value.isQuoted || value.isTight || (value.isLine && reads(.lines))))
    else { return nil }
    return Replacement(
      range: range, bytes: replace(secret, by: rule, named: name, isExplicit: isNamed(name)))
  }

  /// The name that ends before a separator; `nil` if there is none.
  static func name(before separator: Int, in bytes: [UInt8]) -> String? {
    if separator + 1 < bytes.count, bytes[separator] == 0x3D, bytes[separator + 1] == 0x3D {
      return nil
    }
    var end = separator
    while end > 0, bytes[end - 1] == 0x20, separator - end < 4 { end -= 1 }
    while end > 0, "\"'\\]`".utf8.contains(bytes[end - 1]) { end -= 1 }
    var start = end
    while start > 0, end - start < 64,
      bytes[start - 1].isWordByte || bytes[start - 1] == 0x2D || bytes[start - 1] == 0x2E
    {
      start -= 1
    }
    guard end > start, bytes[start..<end].contains(where: { $0.isLetter }) else { return nil }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// The name of a value that YAML describes in the line before, `name: DB_PASSWORD`; `nil` if there is none.
  private static func name(describedBefore separator: Int, in bytes: [UInt8]) -> String? {
    let lines = bytes[max(0, separator - 160)..<separator].split(
      separator: 0x0A, omittingEmptySubsequences: false)
    guard lines.count >= 2 else { return nil }
    let line = String(decoding: lines[lines.count - 2], as: UTF8.self)
    return line.firstMatch(of: #/^[\s\-]*(?:name|key): *["']?([\w.\-]+)["']?\s*$/#).map {
      String($0.1)
    }
  }

  /// A value after a separator.
  private struct Value {
    var range: Range<Int>
    var isQuoted: Bool
    /// Whether it follows an equals sign without a space.
    var isTight: Bool
    /// Whether its line has nothing else but the name: `password: x`.
    var isLine = false
  }

  private static func value(after separator: Int, in bytes: [UInt8], isLine: Bool) -> Value? {
    var start = separator + 1
    // `=>`, as some languages write it.
    if start < bytes.count, bytes[separator] == 0x3D, bytes[start] == 0x3E { start += 1 }
    let first = start
    while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x09, start - first < 4 {
      start += 1
    }
    let isTight = bytes[separator] == 0x3D && start == first
    while start < bytes.count, bytes[start] == 0x5C { start += 1 }
    guard start < bytes.count else { return nil }
    if isLine {
      let end = bytes[start...].firstIndex { "\r\n\"'\\<".utf8.contains($0) } ?? bytes.endIndex
      return Value(range: start..<end, isQuoted: true, isTight: isTight)
    }
    let quote = bytes[start]
    guard quote == 0x22 || quote == 0x27 || quote == 0x60 else {
      let end = end(ofWord: bytes, from: start)
      return Value(
        range: start..<end, isQuoted: false, isTight: isTight,
        isLine: (end == bytes.count || bytes[end] == 0x0A || bytes[end] == 0x0D)
          && isFirst(before: separator, in: bytes))
    }
    var end = start + 1
    while end < bytes.count, bytes[end] != quote, end - start < 16_384 {
      if bytes[end] == 0x0A, quote != 0x60 { return nil }
      end += bytes[end] == 0x5C && end + 1 < bytes.count && bytes[end + 1] != quote ? 2 : 1
    }
    guard end < bytes.count, bytes[end] == quote else { return nil }
    if bytes[end - 1] == 0x5C { end -= 1 }
    return start + 1 <= end ? Value(range: start + 1..<end, isQuoted: true, isTight: isTight) : nil
  }

  /// Whether only a name is between the start of a line and a separator.
  private static func isFirst(before separator: Int, in bytes: [UInt8]) -> Bool {
    let before = bytes[max(0, separator - 80)..<separator]
    let line: ArraySlice<UInt8> =
      before.lastIndex { $0 == 0x0A }.map { before[($0 + 1)...] } ?? before
    guard line.startIndex == 0 || bytes[line.startIndex - 1] == 0x0A else { return false }
    let name = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x2D }
    return name.allSatisfy { $0.isWordByte || "-. \"'".utf8.contains($0) }
      && name.count { $0 == 0x20 } < 2
  }

  private static func end(ofWord bytes: [UInt8], from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end].isVisible, !"&,;)}]".utf8.contains(bytes[end]) { end += 1 }
    while end > start, bytes[end - 1] == 0x2E { end -= 1 }
    return end
  }
}
