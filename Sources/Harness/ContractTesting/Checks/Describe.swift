import Foundation
import Testing

/// Describes a value for a message, on one line.
///
/// Text stands in single quotes with control characters escaped, and is cut after 80 characters, with
/// its length in bytes. A `Date` shows its ISO 8601 form and its seconds since 1970. `nil` is
/// `nothing`. A value that conforms to `CustomTestStringConvertible` describes itself.
///
/// - Parameter value: The value.
public func describe(_ value: Any?) -> String { describe(value, asASCII: false) }

/// Describes a value, with each Unicode scalar outside ASCII escaped if `isASCII` is true.
func describe(_ value: Any?, asASCII isASCII: Bool) -> String {
  guard let value else { return "nothing" }
  switch value {
  case let optional as any OptionalValue: return describe(optional.wrapped, asASCII: isASCII)
  case let text as String: return describe(text: text, asASCII: isASCII)
  case let date as Date: return "\(date.formatted(.iso8601)) (\(date.timeIntervalSince1970) s)"
  case let value as any CustomTestStringConvertible: return value.testDescription
  case let list as [Any]:
    return "[" + list.map { describe($0, asASCII: isASCII) }.joined(separator: ", ") + "]"
  default:
    var text = String(describing: value)
    if isASCII { text = text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
    return text.utf8.count > 160 ? "\(text.prefix(120))… (\(text.utf8.count) bytes)" : text
  }
}

/// An optional inside an `Any`, which hides its `nil` from a `switch`.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}

private func describe(text: String, asASCII isASCII: Bool) -> String {
  let visible = text.unicodeScalars.prefix(80).map { $0.escaped(asASCII: isASCII) }.joined()
  return text.utf8.count > 100 ? "'\(visible)…' (\(text.utf8.count) bytes)" : "'\(visible)'"
}
