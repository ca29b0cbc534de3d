/// Huffman's code as HTTP/2 uses it (RFC 7541 §5.2 and appendix B).
enum HPACKHuffman {
  /// The text that coded bytes stand for; `nil` where they are no such code.
  static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
    var text: [UInt8] = []
    var (code, length) = (0, 0)
    for byte in bytes {
      for shift in stride(from: 7, through: 0, by: -1) {
        code = code << 1 | Int(byte >> shift) & 1
        length += 1
        guard length <= 30 else { return nil }
        let place = code - firstCodes[length]
        guard symbols[length].indices.contains(place) else { continue }
        // The mark of the end must not be sent.
        guard symbols[length][place] < 256 else { return nil }
        text.append(UInt8(symbols[length][place]))
        (code, length) = (0, 0)
      }
    }
    // What fills the last byte is the beginning of that mark: ones, fewer than eight.
    return length < 8 && code == 1 << length - 1 ? text : nil
  }

  /// The symbols whose code has a length, in the order of their codes; 256 is the mark of the end.
  private static let symbols: [[Int]] = {
    var symbols = [[Int]](repeating: [], count: 31)
    for (symbol, length) in lengths.enumerated() { symbols[length].append(symbol) }
    return symbols
  }()

  /// The first code of each length: the codes go up by length, and by symbol within a length.
  private static let firstCodes: [Int] = {
    var codes = [0]
    for length in 1...30 { codes.append((codes[length - 1] + symbols[length - 1].count) << 1) }
    return codes
  }()

  /// How many bits the code of each symbol has.
  private static let lengths: [Int] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
  ]
}
