/// What mutation needs to know of a type, by the type's mangled name.
enum PlainType {
  static let bool = "$sSbD"
  static let int = "$sSiD"
  static let string = "$sSSD"
  static let void = "$sytD"

  /// The integers, with the least and the greatest value that a literal may have.
  private static let integers: [String: ClosedRange<Int128>] = [
    int: limits(Int.self), "$sSuD": limits(UInt.self),
    "$ss4Int8VD": limits(Int8.self), "$ss5UInt8VD": limits(UInt8.self),
    "$ss5Int16VD": limits(Int16.self), "$ss6UInt16VD": limits(UInt16.self),
    "$ss5Int32VD": limits(Int32.self), "$ss6UInt32VD": limits(UInt32.self),
    "$ss5Int64VD": limits(Int64.self), "$ss6UInt64VD": limits(UInt64.self),
  ]

  private static let fractions: Set = ["$sSdD", "$sSfD", "$ss8DurationVD"]

  private static func limits<Value: FixedWidthInteger>(_: Value.Type) -> ClosedRange<Int128> {
    Int128(Value.min)...Int128(Value.max)
  }

  /// The values that literals of an integer type may have, or `nil` if it is no integer of the
  /// standard library.
  static func limits(of type: String) -> ClosedRange<Int128>? { integers[type] }

  static func isNumber(_ type: String) -> Bool {
    integers[type] != nil || fractions.contains(type)
  }

  static func isOptional(_ type: String) -> Bool { type.hasSuffix("SgD") && type != "$sytSgD" }

  static func isArray(_ type: String) -> Bool { type.hasPrefix("$sSay") && type.hasSuffix("GD") }

  /// Whether a type is an array or a dictionary.
  static func isCollection(_ type: String) -> Bool {
    isArray(type) || isDictionary(type)
  }

  static func isDictionary(_ type: String) -> Bool {
    type.hasPrefix("$sSDy") && type.hasSuffix("GD")
  }

  /// Literals of a type that a function may return early.
  static func plainValues(of type: String) -> [String] {
    if type == bool { return ["true", "false"] }
    if isNumber(type), type != "$ss8DurationVD" { return ["0"] }
    if type == string { return ["\"\""] }
    if isOptional(type) { return ["nil"] }
    guard type.hasSuffix("GD") else { return [] }
    if type.hasPrefix("$sSay") || type.hasPrefix("$sShy") { return ["[]"] }
    return type.hasPrefix("$sSDy") ? ["[:]"] : []
  }
}
