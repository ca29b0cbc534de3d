import SystemPlatform

/// The source name of a function, looked up by its address.
package enum FunctionName {
  /// A name such as `Account.withdraw`, or `nil` if the binary has no name for the address.
  package static func of(_ address: UInt) -> String? {
    symbolName(at: address).flatMap { of(symbol: $0) }
  }

  /// The name of a function with a mangled name, or `nil` for one that is not the program's.
  package static func of(symbol: String) -> String? { demangled(symbol).flatMap(shortened) }

  /// The function's name without modules, parameters and compiler-generated prefixes.
  package static func shortened(_ declaration: String) -> String? {
    var text = Substring(declaration)
    for lead in ["partial function for ", "continuation for "] {
      if let range = text.firstRange(of: lead) { text = text[range.upperBound...] }
    }
    var isClosure = false
    while text.hasPrefix("closure #"), let range = text.firstRange(of: " in ") {
      isClosure = true
      text = text[range.upperBound...]
    }
    // A private declaration is in parentheses, with a number for its file.
    let plain = text.replacing(#/\((\w+) in _[0-9A-F]+\)/#) { $0.output.1 }
    text = plain[...]
    if text.hasPrefix("static ") { text = text.dropFirst(7) }
    let name = text.prefix { $0 != "(" && $0 != "<" && $0 != " " }
    let parts = name.split(separator: ".")
    guard let last = parts.last else { return nil }
    // The names of runtime and standard library functions do not tell where the program is.
    if parts.first == "Swift" || name.hasPrefix("swift_") || !declaration.contains(" ") {
      return nil
    }
    let own = parts.count > 2 ? "\(parts[parts.count - 2]).\(last)" : String(last)
    return isClosure ? "closure in \(own)" : own
  }
}
