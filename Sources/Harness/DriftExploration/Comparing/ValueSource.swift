import Foundation

/// Values as Swift expressions, for the calls and clauses that reports show.
enum ValueSource {
  /// A Swift expression for a value, or its description where there is none.
  static func text(of value: Any) -> String { expression(of: value) ?? String(describing: value) }

  /// A Swift expression for a value, or `nil` if none is known.
  static func expression(of value: Any) -> String? {
    // Before numbers, which an instance becomes where it is cast to them.
    if type(of: value) is AnyClass, let number = value as? NSNumber {
      return "NSNumber(value: \(number))"
    }
    switch value {
    case is Void: return "()"
    case let text as String: return literal(text)
    case let text as Substring: return literal(String(text))
    case let character as Character: return literal(String(character))
    case let flag as Bool: return "\(flag)"
    case let number as any BinaryInteger: return "\(number)"
    case let number as Double: return float(number, "Double")
    case let number as Float: return float(number, "Float")
    case let bytes as Data:
      return isUniform(bytes) ? "Data(\(repeated(bytes)))" : "Data(\(Array(bytes)))"
    case let bytes as [UInt8] where isUniform(bytes): return repeated(bytes)
    case let number as Decimal: return decimal(number)
    case let date as Date:
      // Whole seconds since 1970 are easier to read.
      if let seconds = Int64(exactly: date.timeIntervalSince1970) {
        return "Date(timeIntervalSince1970: \(seconds))"
      }
      return "Date(timeIntervalSinceReferenceDate: \(date.timeIntervalSinceReferenceDate))"
    case let duration as Duration: return text(of: duration)
    case let id as UUID: return "UUID(uuidString: \"\(id.uuidString)\")!"
    case let locale as Locale: return "Locale(identifier: \(literal(locale.identifier)))"
    case let zone as TimeZone: return "TimeZone(identifier: \(literal(zone.identifier)))!"
    case let url as URL: return "URL(string: \(literal(url.absoluteString)))!"
    default: return structured(value)
    }
  }

  private static func structured(_ value: Any) -> String? {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { (label: $0.label, text: expression(of: $0.value)) }
    guard children.allSatisfy({ $0.text != nil }) else { return nil }
    let texts = children.map { $0.text ?? "" }
    if let bounds = rangeOperator(of: value), texts.count == 2 {
      return "(\(texts[0])\(bounds)\(texts[1]))"
    }
    switch mirror.displayStyle {
    case .optional: return texts.first ?? "nil"
    case .collection, .set: return "[" + texts.joined(separator: ", ") + "]"
    case .dictionary:
      let pairs = mirror.children.compactMap { child -> String? in
        let parts = Mirror(reflecting: child.value).children.compactMap { expression(of: $0.value) }
        return parts.count == 2 ? parts.joined(separator: ": ") : nil
      }
      guard pairs.count == children.count else { return nil }
      return pairs.isEmpty ? "[:]" : "[" + pairs.sorted().joined(separator: ", ") + "]"
    case .tuple:
      return "(" + zip(children, texts).map { labelled($0.label, $1) }.joined(separator: ", ") + ")"
    case .enum:
      guard let type = typeName(of: value) else { return nil }
      guard let first = mirror.children.first else {
        let name = "\(value)"
        return isIdentifier(name) ? "\(type).\(name)" : nil
      }
      guard let name = first.label, isIdentifier(name) else { return nil }
      let payload = Mirror(reflecting: first.value)
      if payload.displayStyle == .tuple { return "\(type).\(name)\(texts[0])" }
      return "\(type).\(name)(\(texts[0]))"
    case .struct:
      // The memberwise initialiser, or the one that a type's author wrote in its place.
      guard let type = typeName(of: value), !(value is any CustomReflectable), !texts.isEmpty,
        children.allSatisfy({ $0.label.map { isIdentifier($0) } ?? false })
      else { return nil }
      return "\(type)("
        + zip(children, texts).map { labelled($0.label, $1) }.joined(separator: ", ") + ")"
    default: return nil
    }
  }

  private static func rangeOperator(of value: Any) -> String? {
    let type = String(reflecting: type(of: value))
    return type.hasPrefix("Swift.Range<")
      ? "..<" : type.hasPrefix("Swift.ClosedRange<") ? "..." : nil
  }

  private static func labelled(_ label: String?, _ text: String) -> String {
    guard let label, isIdentifier(label) else { return text }
    return "\(label): \(text)"
  }

  private static func isIdentifier(_ text: String) -> Bool {
    text.first.map { $0.isLetter || $0 == "_" } == true
      && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// The type's name without its module; `nil` for one that other files cannot name.
  static func typeName(of value: Any) -> String? {
    let name = String(reflecting: type(of: value))
    guard !name.contains("(unknown context") else { return nil }
    return name.split(separator: ".").dropFirst().joined(separator: ".")
  }

  private static func float(_ number: Double, _ type: String) -> String {
    number.isNaN
      ? "\(type).nan"
      : number.isInfinite ? "\(number < 0 ? "-" : "")\(type).infinity" : "\(number)"
  }

  private static func float(_ number: Float, _ type: String) -> String {
    float(Double(number), type).contains(type) ? float(Double(number), type) : "\(number)"
  }

  private static func decimal(_ number: Decimal) -> String {
    if number.isNaN { return "Decimal.nan" }
    let text = "\(number)"
    return Int64(text) == nil ? "Decimal(string: \"\(text)\")!" : "Decimal(\(text))"
  }

  private static func isUniform(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count > 16 && bytes.allSatisfy { $0 == bytes.first }
  }

  private static func repeated(_ bytes: some Collection<UInt8>) -> String {
    "[UInt8](repeating: \(bytes.first ?? 0), count: \(bytes.count))"
  }

  private static func text(of duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    if attoseconds == 0 { return ".seconds(\(seconds))" }
    for (unit, name) in [
      (Int64(1_000_000_000_000_000), "milliseconds"), (1_000_000_000_000, "microseconds"),
      (1_000_000_000, "nanoseconds"),
    ] where attoseconds % unit == 0 {
      return ".\(name)(\(seconds * (1_000_000_000_000_000_000 / unit) + attoseconds / unit))"
    }
    return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
  }

  /// A string literal, with scalars outside ASCII escaped.
  private static func literal(_ text: String) -> String {
    if text.count > 16, let first = text.first, text.allSatisfy({ $0 == first }) {
      return "String(repeating: \(literal(String(first))), count: \(text.count))"
    }
    return "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }
}
