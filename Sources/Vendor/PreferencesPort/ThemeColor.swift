/// An RGB colour that the user chose for the app.
public struct ThemeColor: Hashable, Sendable, CustomStringConvertible {
  /// The components, 0 to 255.
  public var red, green, blue: UInt8

  /// Creates a colour from its components.
  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Parses a colour in the form `#rrggbb`. Returns `nil` for any other text.
  public init?(_ text: String) {
    let digits = text.utf8.dropFirst()
    // UInt32(_:radix:) accepts a leading sign, so signs are excluded.
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
      let value = UInt32(text.dropFirst(), radix: 16),
      digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
    else { return nil }
    self.init(
      red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xff), blue: UInt8(value & 0xff))
  }

  /// The colour in the form `#rrggbb`, in lower case.
  public var description: String {
    "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
