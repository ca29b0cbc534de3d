import Foundation
import TransportDecoding

/// Searches for a text as an attacker would: in everything that the bytes decode to.
struct ExposedText {
  private let needle: Data
  private var seen: Set<Data> = []

  init(_ text: String) { needle = Data(text.utf8) }

  mutating func isIn(_ data: Data, depth: Int = 5) -> Bool {
    guard depth > 0, seen.insert(data).inserted else { return false }
    if data.range(of: needle) != nil { return true }
    if data.starts(with: [0x1F, 0x8B]),
      let text = try? WholeContent.decode(Array(data), "gzip", limit: 1 << 24)
    {
      return isIn(Data(text), depth: depth - 1)
    }
    guard let text = String(data: data, encoding: .utf8) else { return false }
    if text.contains("%"), let decoded = text.removingPercentEncoding, decoded != text,
      isIn(Data(decoded.utf8), depth: depth - 1)
    {
      return true
    }
    if text.contains("\\") {
      let plain = text.replacing("\\\"", with: "\"").replacing("\\/", with: "/").replacing(
        "\\n", with: "\n"
      )
      .replacing("\\\\", with: "\\")
      if plain != text, isIn(Data(plain.utf8), depth: depth - 1) { return true }
    }
    for word in text.split(whereSeparator: {
      !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=_-".contains($0)))
    })
    where word.utf8.count >= 12 {
      let standard = word.replacing("-", with: "+").replacing("_", with: "/").replacing(
        "=", with: "")
      let padded =
        String(standard) + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
      if let inner = Data(base64Encoded: String(padded)), isIn(inner, depth: depth - 1) {
        return true
      }
      let digits = Array(word.utf8)
      if digits.count % 2 == 0, word.allSatisfy(\.isHexDigit) {
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        if isIn(Data(bytes), depth: depth - 1) { return true }
      }
    }
    return false
  }
}
