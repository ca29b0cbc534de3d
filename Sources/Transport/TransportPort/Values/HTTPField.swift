/// One field line: a name and the bytes of its value.
///
/// Source: RFC 9110 §5.
public struct HTTPField: Sendable, Hashable {
  /// The field's name.
  public var name: Name

  /// The bytes of the value as they are on the wire, whatever their encoding.
  public var bytes: [UInt8]

  /// A field whose value is given as bytes.
  public init(name: Name, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// A field whose value is given as text, which goes to the wire as UTF-8.
  public init(name: Name, value: String) {
    self.init(name: name, bytes: Array(value.utf8))
  }

  /// The value as text: read as UTF-8 where the bytes are that, otherwise as ISO Latin-1.
  public var value: String { String(fieldBytes: bytes) }

  /// Whether the value holds only what a request may carry: no CR, LF, NUL or other control.
  ///
  /// Horizontal tab and the bytes above 127 are allowed. Source: RFC 9110 §5.5.
  public var hasValidValue: Bool {
    bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}

extension HTTPField: CustomStringConvertible {
  public var description: String { "\(name): \(value)" }
}
