import Foundation

/// A value in a recorded history. Strings are equal if their UTF-8 bytes are.
public indirect enum RecordedValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([RecordedValue])
  case object([String: RecordedValue])
}

extension RecordedValue {
  /// Whether two values are equal. `==` on `String` compares canonically: é equals e followed by
  /// U+0301.
  public static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension RecordedValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
  ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: RecordedValue...) { self = .array(elements) }
}

extension RecordedValue {
  /// Reads a JSON value.
  ///
  /// - Throws: ``LinearizabilityFileError/Problem`` if the text is not one JSON value, and for an
  ///   integer outside 64 bits, because rounding could make two values equal.
  public init(json text: String) throws(LinearizabilityFileError.Problem) {
    try self.init(json: Data(text.utf8))
  }

  init(json data: Data) throws(LinearizabilityFileError.Problem) {
    let object: Any
    do {
      object = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    } catch {
      let reason = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
      throw .notJSON(reason ?? error.localizedDescription)
    }
    try self.init(object)
  }

  private init(_ object: Any) throws(LinearizabilityFileError.Problem) {
    switch object {
    case let text as String: self = .string(text)
    case let number as NSNumber: try self.init(number)
    case let values as [Any]:
      self = .array(
        try values.map { value throws(LinearizabilityFileError.Problem) in try Self(value) })
    case let fields as [String: Any]:
      var object: [String: RecordedValue] = [:]
      for (name, value) in fields { object[name] = try Self(value) }
      self = .object(object)
    default: self = .null
    }
  }

  private init(_ number: NSNumber) throws(LinearizabilityFileError.Problem) {
    let kind = String(cString: number.objCType)
    let double = number.doubleValue
    if kind == "c" {
      self = .bool(number.boolValue)
    } else if kind == "d", double != double.rounded() {
      self = .number(double)
    } else if kind == "d", !(number is NSDecimalNumber), double.magnitude < 0x1p53 {
      self = .integer(Int(double))
    } else if kind != "d" || number is NSDecimalNumber, let value = Int(number.stringValue) {
      self = .integer(value)
    } else {
      throw .badNumber(number.stringValue)
    }
  }

  /// The value as JSON on one line, keys in order.
  public var json: String {
    let data = try? JSONSerialization.data(
      withJSONObject: object, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  private var object: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .integer(let value): value
    case .number(let value): value.isFinite ? value : NSNull()
    case .string(let value): value
    case .array(let values): values.map(\.object)
    case .object(let values): values.mapValues(\.object)
    }
  }
}

extension RecordedValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): value.debugDescription
    case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .object(let values):
      "{"
        + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        .joined(separator: ", ") + "}"
    }
  }
}
