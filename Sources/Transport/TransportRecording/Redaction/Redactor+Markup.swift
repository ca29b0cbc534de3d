import TransportPort

extension Redactor {
  /// Replaces values that XML or HTML names: `<password>x</password>`,
  /// `<property name="password" value="x"/>`, `<key>password</key><string>x</string>`.
  ///
  /// An attribute's own name counts as in any text.
  mutating func markup(_ bytes: [UInt8], _ context: Context) -> [UInt8] {
    var replacements: [Replacement] = []
    var element = ""
    var sibling = ""
    var open: [String] = []
    var index = 0
    while let start = bytes[index...].firstIndex(of: 0x3C) {
      if let value = Self.trimmed(bytes, index..<start) {
        let content = Array(bytes[value])
        if ["key", "name"].contains(element), content.count < 64 {
          sibling = String(decoding: content, as: UTF8.self)
        } else {
          // `<password><value>x</value></password>`
          let outer = Self.isStructure(element) ? nil : open.last { kind(of: $0) == .secret }
          let names = [element, sibling] + (reads(.innerElements) ? [outer ?? ""] : [])
          replace(value, content, named: names, context, &replacements)
          sibling = ""
        }
      }
      if bytes[start...].starts(with: "<![CDATA[".utf8) {
        let end = bytes[start...].firstRange(of: Array("]]>".utf8))?.lowerBound ?? bytes.count
        let value = start + 9..<max(start + 9, end)
        replace(value, Array(bytes[value]), named: [element, sibling], context, &replacements)
        index = min(bytes.count, end + 3)
        continue
      }
      let tag = Self.tag(bytes, from: start)
      if tag.isEnd {
        if let start = open.lastIndex(of: tag.name) { open.removeSubrange(start...) }
      } else {
        element = tag.name
        open.append(tag.name)
      }
      if let named = tag.names.first { sibling = named }
      for value in tag.values {
        replace(value, Array(bytes[value]), named: tag.names, context, &replacements)
      }
      if tag.isEnd { element = "" }
      index = tag.end
    }
    return bytes.replacing(replacements)
  }

  private mutating func replace(
    _ range: Range<Int>, _ content: [UInt8], named names: [String], _ context: Context,
    _ replacements: inout [Replacement]
  ) {
    for name in names where !name.isEmpty {
      guard let rule = rule(for: content, named: name, isStrict: !context.isCode) else { continue }
      let new = replace(content, by: rule, named: name, isExplicit: isNamed(name))
      if new != content { replacements.append(Replacement(range: range, bytes: new)) }
      return
    }
  }

  private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return start < end ? start..<end : nil
  }

  private struct Tag {
    /// The local name in the spelling of the text; for an end tag too.
    var name = ""
    var isEnd = false
    /// The values of attributes that name the value beside them.
    var names: [String] = []
    /// The ranges of the values that they name.
    var values: [Range<Int>] = []
    var end: Int
  }

  private static func tag(_ bytes: [UInt8], from start: Int) -> Tag {
    var tag = Tag(end: start + 1)
    var index = start + 1
    if index < bytes.count, bytes[index] == 0x2F {
      tag.isEnd = true
      index += 1
    }
    func word() -> String {
      let begin = index
      while index < bytes.count, bytes[index].isWordByte || "-.:".utf8.contains(bytes[index]) {
        index += 1
      }
      return String(decoding: bytes[begin..<index], as: UTF8.self)
    }
    tag.name = word().split(separator: ":").last.map(String.init) ?? ""
    while index < bytes.count, bytes[index] != 0x3E, bytes[index] != 0x3C {
      let name = word().asciiLowercased()
      guard !name.isEmpty, index + 1 < bytes.count, bytes[index] == 0x3D,
        bytes[index + 1] == 0x22 || bytes[index + 1] == 0x27,
        let close = bytes[(index + 2)...].firstIndex(of: bytes[index + 1])
      else {
        if name.isEmpty { index += 1 }
        continue
      }
      let range = index + 2..<close
      if ["name", "key", "id", "property", "itemprop"].contains(name) {
        tag.names.append(String(decoding: bytes[range].prefix(64), as: UTF8.self))
      } else if ["value", "content"].contains(name) {
        tag.values.append(range)
      }
      index = close + 1
    }
    tag.end = min(bytes.count, index + (index < bytes.count && bytes[index] == 0x3E ? 1 : 0))
    return tag
  }

  /// Replaces the values of a multipart form; `nil` if the text has no parts.
  ///
  /// Source: RFC 2046 §5.1, RFC 7578.
  mutating func multipart(_ bytes: [UInt8], _ context: Context) -> [UInt8]? {
    guard bytes.starts(with: [0x2D, 0x2D]), reads(.multipart),
      let lineEnd = bytes.firstIndex(where: { $0 == 0x0D || $0 == 0x0A })
    else { return nil }
    let boundary = Array(bytes[..<lineEnd])
    var replacements: [Replacement] = []
    var start = lineEnd
    while let next = bytes[start...].firstRange(of: boundary) {
      let part = start..<next.lowerBound
      if let blank = bytes[part].firstRange(of: Array("\r\n\r\n".utf8))
        ?? bytes[part].firstRange(of: Array("\n\n".utf8))
      {
        let head = String(fieldBytes: bytes[part.lowerBound..<blank.lowerBound])
        var end = part.upperBound
        while end > blank.upperBound, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        let content = Array(bytes[blank.upperBound..<end])
        let new = self.part(content, head, context)
        if new != content {
          replacements.append(Replacement(range: blank.upperBound..<end, bytes: new))
        }
      }
      start = next.upperBound
    }
    return bytes.replacing(replacements)
  }

  private mutating func part(_ content: [UInt8], _ head: String, _ context: Context) -> [UInt8] {
    func parameter(_ name: String) -> String? {
      guard let start = head.firstRange(of: "\(name)=\"") else { return nil }
      return String(head[start.upperBound...].prefix { $0 != "\"" })
    }
    var context = context.inner
    let isFile = head.contains("filename=")
    if isFile {
      let type = head.asciiLowercased()
      context.suspects = !["image/", "audio/", "video/", "octet-stream"].contains {
        type.contains($0)
      }
    }
    let name = parameter("; name") ?? parameter("name") ?? ""
    return at("part '\(name)'") {
      isFile ? $0.text(content, named: name, context) : $0.value(content, named: name, context)
    }
  }
}
