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
    return Self.decodings(of: data).contains { isIn($0, depth: depth - 1) }
  }

  private static let alphabet = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-".utf8)
  private static let isInWord = (0..<256).map { alphabet.contains(UInt8($0)) }

  private static func decodings(of data: Data) -> [Data] {
    if data.starts(with: [0x1F, 0x8B]) {
      return (try? WholeContent.decode(Array(data), "gzip", limit: 1 << 24)).map { [Data($0)] }
        ?? []
    }
    var all = words(in: data).flatMap { [base64($0), hexadecimal($0)] }.compactMap { $0 }
    guard let text = String(data: data, encoding: .utf8) else { return all }
    if data.contains(0x25) { all.append(Data((text.removingPercentEncoding ?? "").utf8)) }
    if data.contains(0x5C) { all.append(unescaped(data)) }
    return all
  }

  /// The words of at least twelve characters that may be an encoding.
  private static func words(in data: Data) -> Set<String> {
    data.withUnsafeBytes { bytes in
      var words: Set<String> = []
      var start = 0
      for end in 0...bytes.count where end == bytes.count || !isInWord[Int(bytes[end])] {
        if end - start >= 12 { words.insert(String(decoding: bytes[start..<end], as: UTF8.self)) }
        start = end + 1
      }
      return words
    }
  }

  /// A text without the escapes of JSON, and without the zeros of UTF-16.
  private static func unescaped(_ data: Data) -> Data {
    data.withUnsafeBytes { bytes in
      var plain: [UInt8] = []
      plain.reserveCapacity(bytes.count)
      var index = 0
      while index < bytes.count {
        let isEscape = bytes[index] == 0x5C && index + 1 < bytes.count
        if !isEscape {
          plain.append(bytes[index])
        } else if bytes[index + 1] != UInt8(ascii: "u") {
          plain.append(bytes[index + 1] == UInt8(ascii: "n") ? 0x0A : bytes[index + 1])
        }
        index += !isEscape ? 1 : bytes[index + 1] == UInt8(ascii: "u") ? 6 : 2
      }
      return Data(plain)
    }
  }

  private static func base64(_ word: String) -> Data? {
    var text = word.utf8.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
    while text.last == 0x3D { text.removeLast() }
    return Data(
      base64Encoded: Data(text + [UInt8](repeating: 0x3D, count: (4 - text.count % 4) % 4)))
  }

  /// The value of each byte as a hexadecimal digit, or -1.
  private static let digits: [Int8] = (0..<256).map { (byte: Int) -> Int8 in
    Character(Unicode.Scalar(UInt8(byte))).hexDigitValue.map(Int8.init) ?? -1
  }

  private static func hexadecimal(_ word: String) -> Data? {
    var data = Data()
    var high: UInt8?
    for byte in word.utf8 {
      guard digits[Int(byte)] >= 0 else { return nil }
      let digit = UInt8(digits[Int(byte)])
      if let left = high { data.append(left << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return high == nil ? data : nil
  }
}
