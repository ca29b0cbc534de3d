import Foundation
import TransportDecoding
import TransportPort

/// A part of a text, and what replaces it.
struct Replacement {
  var range: Range<Int>
  var bytes: [UInt8]
}

extension [UInt8] {
  /// The bytes with replacements, which are in order and do not overlap.
  func replacing(_ replacements: [Replacement]) -> [UInt8] {
    guard !replacements.isEmpty else { return self }
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var start = 0
    for replacement in replacements {
      output += self[start..<replacement.range.lowerBound]
      output += replacement.bytes
      start = replacement.range.upperBound
    }
    return output + self[start...]
  }

  /// The index of the first such byte at or after a position.
  ///
  /// It calls the C library, because `firstIndex(of:)` compares through witnesses without optimization.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let first = rest.baseAddress,
        let found = memchr(first, Int32(byte), rest.count)
      else { return nil }
      return start + (UnsafeRawPointer(found) - first)
    }
  }

  /// Whether the bytes contain one.
  func has(_ byte: UInt8) -> Bool { firstIndex(of: byte, from: 0) != nil }

  /// Whether the bytes contain others.
  func contains(_ other: [UInt8]) -> Bool { Data(self).range(of: Data(other)) != nil }
}

extension Redactor {
  /// Replaces what a text of any kind has.
  mutating func text(_ bytes: [UInt8], named name: String, _ context: Context) -> [UInt8] {
    guard bytes.count >= Secrets.minimumLength, !isPlain(bytes) else { return bytes }
    budget -= bytes.count
    guard context.depth > 0, budget > 0 else {
      giveUp(named: name)
      return bytes
    }
    if bytes.starts(with: [0x1F, 0x8B]), reads(.gzip) {
      return compressed(bytes, named: name, context)
    }
    if let encoding = Self.utf16(bytes), reads(.utf16),
      let text = String(data: Data(bytes), encoding: encoding)
    {
      let new = self.text(Array(text.utf8), named: name, context.inner)
      guard new != Array(text.utf8) else { return bytes }
      return Array(String(decoding: new, as: UTF8.self).data(using: encoding) ?? Data())
    }
    let first = bytes.first { !$0.isSpace && $0 != 0x0A && $0 != 0x0D }
    if first == 0x7B || first == 0x5B, reads(.json),
      let redacted = json(bytes, named: name, context)
    {
      return redacted
    }
    if bytes.starts(with: [0x2D, 0x2D]), bytes.contains(Array("form-data".utf8)),
      let redacted = multipart(bytes, context)
    {
      return redacted
    }
    if let separator = Self.separator(of: bytes) {
      // A key may take several rows.
      let withoutKeys = reads(.keyBlocks) ? bytes.replacing(privateKeys(in: bytes)) : bytes
      if let redacted = table(withoutKeys, separator: separator, context) {
        return prose(redacted, named: name, context)
      }
    }
    if Self.isForm(bytes), reads(.form) { return items(bytes, "field", context) }
    if first == 0x2F, !bytes.contains(where: { $0 <= 0x20 }) {
      return url(bytes, named: name, context)
    }
    let isMarkup = first == 0x3C && reads(.markup)
    return prose(isMarkup ? markup(bytes, context) : bytes, named: name, context)
  }

  /// Whether a text is too short for a shape, and has nothing that could be read.
  private func isPlain(_ bytes: [UInt8]) -> Bool {
    bytes.count < 12 && textTemplates.isEmpty
      && bytes.allSatisfy { $0.isWordByte || $0 == 0x20 || $0 == 0x2E || $0 == 0x2D || $0 == 0x2C }
  }

  /// The encoding of a text whose characters have two bytes, by its byte order mark or by the zeros among
  /// its first bytes; `nil` for another text.
  private static func utf16(_ bytes: [UInt8]) -> String.Encoding? {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16 }
    guard bytes[0] == 0 || bytes[1] == 0, bytes.count % 2 == 0 else { return nil }
    let start = bytes.prefix(16).enumerated()
    let zeros = bytes[1] == 0 ? 1 : 0
    guard start.allSatisfy({ ($1 == 0) == ($0 % 2 == zeros) }) else { return nil }
    return zeros == 1 ? .utf16LittleEndian : .utf16BigEndian
  }

  /// Whether a text is a form: items with names and nothing between them.
  private static func isForm(_ bytes: [UInt8]) -> Bool {
    guard let equals = bytes.firstIndex(of: 0x3D, from: 0), equals > 0, bytes.has(0x26) else {
      return false
    }
    return bytes[..<equals].allSatisfy {
      $0.isLetter || $0.isDigit || "_-.[]%+".utf8.contains($0)
    } && bytes.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3C && $0 != 0x7B }
  }

  private mutating func compressed(
    _ bytes: [UInt8], named name: String, _ context: Context
  ) -> [UInt8] {
    guard let decoded = try? WholeContent.decode(bytes, "gzip", limit: Self.decodedLimit) else {
      return bytes
    }
    var inner = context.inner
    inner.isPublic = false
    let redacted = text(decoded, named: name, inner)
    return redacted == decoded ? bytes : WholeContent.encode(redacted, "gzip") ?? Self.placeholder
  }

  private mutating func prose(
    _ original: [UInt8], named name: String, _ context: Context
  ) -> [UInt8] {
    var bytes = original
    for template in textTemplates {
      bytes = bytes.replacing(
        template.ranges(in: bytes).map {
          Replacement(range: $0, bytes: replace(Array(bytes[$0]), by: "a text", isExplicit: true))
        })
    }
    if reads(.keyBlocks) { bytes = bytes.replacing(privateKeys(in: bytes)) }
    let urls = Self.urls(in: bytes)
    if !urls.isEmpty {
      bytes = bytes.replacing(
        urls.map { Replacement(range: $0, bytes: url(Array(bytes[$0]), named: name, context)) })
    }
    if reads(.assignments) {
      bytes = bytes.replacing(assignments(in: bytes, context))
      bytes = bytes.replacing(commandPasswords(in: bytes))
    }
    bytes = bytes.replacing(words(in: bytes, named: name, context))
    return views(of: bytes, named: name, context)
  }

  /// Looks into escapes: percent encoding, those of JSON strings, and entities of markup.
  private mutating func views(
    of bytes: [UInt8], named name: String, _ context: Context
  ) -> [UInt8] {
    var bytes = bytes
    if bytes.has(0x25), reads(.percentEncoding) {
      bytes = view(bytes, bytes.percentDecoded(plus: false), named: name, context) {
        Array(String(decoding: $0, as: UTF8.self).percentEncoded.utf8)
      }
    }
    if bytes.has(0x5C), reads(.escapes) {
      bytes = view(bytes, bytes.unescaped, named: name, context) { text in
        var quoted: [UInt8] = []
        JSON.string(String(decoding: text, as: UTF8.self)).write(to: &quoted, level: nil)
        return Array(quoted.dropFirst().dropLast())
      }
    }
    if bytes.has(0x26), reads(.entities) {
      bytes = view(bytes, bytes.withoutEntities, named: name, context) { $0.withEntities }
    }
    return bytes
  }

  private mutating func view(
    _ bytes: [UInt8], _ decoded: [UInt8], named name: String, _ context: Context,
    encode: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    guard decoded != bytes else { return bytes }
    let redacted = text(decoded, named: name, context.inner)
    return redacted == decoded ? bytes : encode(redacted)
  }

  /// The blocks of private keys in PEM, of whatever kind.
  private mutating func privateKeys(in bytes: [UInt8]) -> [Replacement] {
    var replacements: [Replacement] = []
    for block in Self.blocks(in: bytes) where block.isPrivate {
      let key = Array(bytes[block.range])
      replacements.append(
        Replacement(range: block.range, bytes: replace(key, by: "a private key")))
    }
    return replacements
  }

  /// The blocks of PEM and armour: `-----BEGIN …-----` to `-----END …-----`, or to the end of the text.
  static func blocks(in bytes: [UInt8]) -> [(range: Range<Int>, isPrivate: Bool)] {
    guard bytes.has(0x2D), bytes.contains(Array("BEGIN ".utf8)) else { return [] }
    var blocks: [(range: Range<Int>, isPrivate: Bool)] = []
    var start = 0
    while let begin = bytes[start...].firstRange(of: Array("-----BEGIN ".utf8)) {
      let label = bytes[begin.upperBound...].prefix(40).prefix { $0 != 0x2D }
      let last = bytes[begin.upperBound...].firstRange(of: Array("-----END ".utf8))
      var end = bytes.endIndex
      if let last {
        end = bytes[last.upperBound...].firstRange(of: Array("-----".utf8))?.upperBound ?? end
      }
      blocks.append((begin.lowerBound..<end, Array(label).contains(Array("PRIVATE".utf8))))
      start = end
    }
    return blocks
  }
}

// MARK: - Words

extension Redactor {
  /// Known shapes, encoded texts, and what looks random.
  private mutating func words(
    in bytes: [UInt8], named name: String, _ context: Context
  ) -> [Replacement] {
    var replacements: [Replacement] = []
    let mayBeRandom =
      suspicion != .isIgnored && context.suspects && !context.isPublic && reads(.randomWords)
    // What is in a URL was judged there, and what is in a block of PEM is public.
    lazy var covered = Self.urls(in: bytes) + Self.blocks(in: bytes).map(\.range)
    bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        let begins = index == 0 || !bytes[index - 1].isWordByte
        guard begins, bytes[index].isWordByte || bytes[index] == 0x2D else {
          index += 1
          continue
        }
        if let match = SecretShape.match(in: bytes, at: index, without: missingShape) {
          let word = Array(bytes[match.range])
          replacements.append(
            Replacement(range: match.range, bytes: replace(word, by: match.rule, named: name)))
          index = match.range.upperBound
          continue
        }
        let end = Self.end(ofWord: bytes, from: index)
        let isWhole = index == 0 || !Self.isWordPart(bytes[index - 1])
        if isWhole, end - index >= 12 {
          let range = index..<end
          if let text = word(Array(bytes[range]), named: name, context) {
            if let new = text { replacements.append(Replacement(range: range, bytes: new)) }
            index = end
            continue
          }
          if mayBeRandom, end - index <= 512, isSuspicious(bytes[range], context),
            !Self.isPublic(bytes, range), !covered.contains(where: { $0.overlaps(range) }),
            let own = ownName(before: index, in: bytes, default: name)
          {
            if let new = suspect(Array(bytes[range]), named: own) {
              replacements.append(Replacement(range: range, bytes: new))
            }
            index = end
            continue
          }
        }
        // The rest of a word begins no other.
        repeat {
          index += 1
        } while index < bytes.count && bytes[index].isWordByte
          && bytes[index - 1].isWordByte
      }
    }
    return replacements
  }

  private static func isWordPart(_ byte: UInt8) -> Bool {
    byte.isWordByte || byte == 0x2D || byte == 0x2B || byte == 0x2F
  }

  /// The end of a word in the alphabets of base64, with its padding.
  private static func end(ofWord bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var end = start
    while end < bytes.count, isWordPart(bytes[end]) { end += 1 }
    var padded = end
    while padded < bytes.count, padded < end + 2, bytes[padded] == 0x3D { padded += 1 }
    let isPadding = padded > end && (padded == bytes.count || !isWordPart(bytes[padded]))
    return isPadding ? padded : end
  }

  /// Whether a word looks random. In base64 every 64th character is a slash; in a path they come more
  /// often, or lead.
  private func isSuspicious(
    _ word: Slice<UnsafeBufferPointer<UInt8>>, _ context: Context
  ) -> Bool {
    // The addresses of a block chain, of 20 bytes, and its hashes, of 32.
    if word.count == 42 || word.count == 66, word.starts(with: "0x".utf8),
      word.dropFirst(2).allSatisfy({ $0.isHexDigit })
    {
      return false
    }
    let slashes = word.count { $0 == 0x2F }
    guard slashes <= word.count / 12, word.first != 0x2F else { return false }
    let random = RandomWord(word)
    return random.isSuspicious
      || (context.isRequest && random.isHexadecimal && reads(.hashes))
  }

  /// The name that a word has in its text, `nonce="…"` or `<ETag>…`; `nil` if it is that of something
  /// public.
  private mutating func ownName(
    before start: Int, in bytes: UnsafeBufferPointer<UInt8>, default name: String
  ) -> String? {
    var end = start
    while end > 0, "\"'\\`; &quot".utf8.contains(bytes[end - 1]), start - end < 8 { end -= 1 }
    guard end > 0 else { return name }
    var own = ""
    if bytes[end - 1] == 0x3D || bytes[end - 1] == 0x3A {
      let first = max(0, end - 80)
      own = Self.name(before: end - 1 - first, in: Array(bytes[first..<end])) ?? ""
    } else if bytes[end - 1] == 0x3E {
      let tag = bytes[max(0, end - 80)..<end - 1].reversed().prefix { $0 != 0x3C }.reversed()
      own = String(decoding: tag.prefix { $0.isWordByte || $0 == 0x2D }, as: UTF8.self)
    }
    if case .harmless = kind(of: own) { return nil }
    return isAllowed(own) ? nil : own.isEmpty ? name : own
  }

  /// Whether the surroundings of a word say that it is public: a digest such as `sha256-…`, a data URL,
  /// a file name, or a public key of SSH.
  private static func isPublic(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    let word = bytes[range]
    let starts = [
      "sha256-", "sha384-", "sha512-", "sha1-", "nonce-", "AAAAB3NzaC1", "AAAAC3NzaC1",
      "AAAAE2VjZHNh",
      "MII", "pk_live_", "pk_test_",
    ]
    if starts.contains(where: { word.starts(with: $0.utf8) }) { return true }
    if isIdentifier(word) { return true }
    let before = bytes[max(0, range.lowerBound - 8)..<range.lowerBound]
    for name in ["base64,", "sha256:", "sha512:", "sha384:", "SHA256:", "sha1:", "md5:"]
    where before.suffix(name.utf8.count).elementsEqual(name.utf8) { return true }
    let after = bytes[range.upperBound...].prefix(5)
    return after.first == 0x2E
      && after.dropFirst().prefix(while: { $0.isLetter || $0.isDigit }).count >= 2
  }

  /// Identifiers with a prefix that names their type, such as `cus_NffrFeUfNV2Hib`.
  private static func isIdentifier(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let separator = word.firstIndex(where: { $0 == 0x5F || $0 == 0x2D }) else { return false }
    let (prefix, rest) = (word[..<separator], word[word.index(after: separator)...])
    let secret: Set<String> = [
      "sk", "rk", "key", "tok", "token", "secret", "sec", "pat", "api", "live", "test", "prod",
      "auth",
      "pass", "access", "apikey", "pk",
    ]
    return (2...10).contains(prefix.count) && prefix.allSatisfy { (0x61...0x7A).contains($0) }
      && rest.count <= 30 && rest.allSatisfy { $0.isLetter || $0.isDigit }
      && !secret.contains(String(decoding: prefix, as: UTF8.self))
  }

  /// Looks into a word of base64 or hexadecimal digits; `nil` if there is no text inside. What replaces
  /// it is `nil` if the text has no secret.
  private mutating func word(
    _ word: [UInt8], named name: String, _ context: Context
  ) -> [UInt8]?? {
    guard context.depth > 1 else { return nil }
    // What is inside has names of its own.
    var inner = context.inner
    inner.isPublic = false
    if reads(.keys), let key = Self.base64(word), Self.isPrivateKey(key) {
      return .some(replace(word, by: "a private key", named: name))
    }
    if word.count % 2 == 0, reads(.hexadecimal), word.allSatisfy({ $0.isHexDigit }) {
      let decoded = stride(from: 0, to: word.count, by: 2).map {
        (word[$0].hexDigit ?? 0) << 4 | (word[$0 + 1].hexDigit ?? 0)
      }
      guard Self.isText(decoded) else { return nil }
      let new = text(decoded, named: name, inner)
      return .some(new == decoded ? nil : Array(new.map { $0.hexadecimal }.joined().utf8))
    }
    guard reads(.base64), let decoded = Self.base64(word),
      decoded.starts(with: [0x1F, 0x8B]) || Self.isText(decoded)
    else { return nil }
    let new = text(decoded, named: name, inner)
    guard new != decoded else { return .some(nil) }
    var encoded = Array(Data(new).base64EncodedString().utf8)
    if word.contains(where: { $0 == 0x2D || $0 == 0x5F }) {
      encoded = encoded.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
    }
    if word.last != 0x3D { encoded = Array(encoded.prefix { $0 != 0x3D }) }
    return .some(encoded)
  }

  /// The bytes behind base64 in either alphabet, with or without padding.
  static func base64(_ word: [UInt8]) -> [UInt8]? {
    var text: [UInt8] = word.prefix { $0 != 0x3D }.map {
      $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0
    }
    guard text.count % 4 != 1 else { return nil }
    text += [UInt8](repeating: 0x3D, count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: Data(text)).map { Array($0) }
  }

  /// Whether bytes are text: UTF-8 without control characters.
  static func isText(_ bytes: [UInt8]) -> Bool {
    let sample = bytes.prefix(64)
    guard sample.allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) else { return false }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether bytes are a private key in DER: a sequence that begins with its version.
  private static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 40, bytes[0] == 0x30 else { return false }
    let start = bytes[1] < 0x80 ? 2 : 2 + Int(bytes[1] & 0x7F)
    guard start + 3 <= bytes.count else { return false }
    return bytes[start..<start + 2] == [0x02, 0x01] && bytes[start + 2] <= 1
  }
}

extension UInt8 {
  /// The byte as two hexadecimal digits.
  fileprivate var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }

  /// Whether the byte is a letter, a digit or `_`.
  var isWordByte: Bool { isLetter || isDigit || self == 0x5F }
}

extension [UInt8] {
  private static let entities: [(name: [UInt8], byte: UInt8)] = [
    ("&quot;", 0x22), ("&#34;", 0x22), ("&#x22;", 0x22), ("&apos;", 0x27), ("&#39;", 0x27),
    ("&#x27;", 0x27), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&amp;", 0x26), ("&#x3D;", 0x3D),
    ("&#61;", 0x3D),
  ].map { (Array($0.0.utf8), $0.1) }

  /// The text with the entities of marks that separate names and values decoded.
  var withoutEntities: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var index = 0
    while index < count {
      if self[index] == 0x26,
        let entity = Self.entities.first(where: { self[index...].starts(with: $0.name) })
      {
        output.append(entity.byte)
        index += entity.name.count
      } else {
        output.append(self[index])
        index += 1
      }
    }
    return output
  }

  /// The text with its marks as entities.
  var withEntities: [UInt8] {
    flatMap { byte in
      switch byte {
      case 0x22: Array("&quot;".utf8)
      case 0x27: Array("&#39;".utf8)
      case 0x3C: Array("&lt;".utf8)
      case 0x3E: Array("&gt;".utf8)
      case 0x26: Array("&amp;".utf8)
      default: [byte]
      }
    }
  }
}
