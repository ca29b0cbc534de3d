/// A field line: a name and the bytes of its value.
///
/// Source: RFC 9110 §5.
public struct HTTPField: Sendable, Hashable {
  /// The field's name.
  public var name: Name

  /// The bytes of the value as sent or received, in any encoding.
  public var bytes: [UInt8]

  /// Creates a field from the bytes of its value.
  public init(name: Name, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// Creates a field from text, which is sent as UTF-8.
  public init(name: Name, value: String) {
    self.init(name: name, bytes: Array(value.utf8))
  }

  /// The value as text, decoded as UTF-8 if valid and otherwise as ISO 8859-1.
  public var value: String { String(fieldBytes: bytes) }

  /// Whether the value can be sent: it contains no CR, LF, NUL or other control character.
  ///
  /// Horizontal tab and bytes above 127 are allowed. Source: RFC 9110 §5.5.
  public var hasValidValue: Bool {
    // A key path would be looked up for each byte in a debug build.
    bytes.allSatisfy { $0.isFieldValueByte }
  }
}

extension HTTPField: CustomStringConvertible {
  public var description: String { "\(name): \(value)" }
}
