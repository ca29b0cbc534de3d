import TransportPort

/// The name-value pairs of a query, a fragment or a form.
enum Query {
  /// The items of a URL's query, decoded.
  static func items(of url: String) -> [(name: String, value: String)] {
    (URLReference(url).query ?? "").split(separator: "&").map { item in
      let (name, value) = parts(item)
      return (decoded(name), decoded(value ?? ""))
    }
  }

  /// The text with `%41` and `+` decoded.
  static func decoded(_ text: String) -> String {
    String(decoding: Array(text.utf8).percentDecoded(), as: UTF8.self)
  }

  private static func parts(_ item: Substring) -> (name: String, value: String?) {
    guard let equals = item.firstIndex(of: "=") else { return (String(item), nil) }
    return (String(item[..<equals]), String(item[item.index(after: equals)...]))
  }
}

extension [UInt8] {
  /// The bytes with `%41` decoded, and `+` unless it stands for itself.
  func percentDecoded(plus: Bool = true) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var index = 0
    while index < count {
      let byte = self[index]
      if byte == UInt8(ascii: "%"), index + 2 < count, let high = self[index + 1].hexDigit,
        let low = self[index + 2].hexDigit
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(plus && byte == UInt8(ascii: "+") ? 0x20 : byte)
        index += 1
      }
    }
    return output
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit.
  var hexDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
