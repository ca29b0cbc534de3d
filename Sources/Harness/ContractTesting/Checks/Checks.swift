import ContractEvidence
import Foundation
public import Testing

/// Records an issue with the given message if a condition does not hold.
///
/// Use it in place of `#expect` if the message matters more than the source of the expression: a
/// saboteur's `saying:` looks for a part of the message.
///
/// - Parameters:
///   - condition: What must hold.
///   - message: What is wrong if it does not, with the expected and the actual value.
///   - sourceLocation: Where the issue is reported.
public func check(
  _ condition: Bool, _ message: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  RunningCase.didEvaluateExpectation()
  if !condition { Issue.record("\(message())", sourceLocation: sourceLocation) }
}

/// Records an issue that names both values if they are not equal: `the path is '/a', expected '/'`.
///
/// If both values print alike, the message says at which field they differ, and shows Unicode scalars:
/// `==` on `String` compares canonical equivalence, so texts that look alike can still differ.
///
/// - Parameters:
///   - actual: The value that the implementation gave.
///   - expected: The value that the contract asks for.
///   - subject: What the values are, as the subject of the message: `the path`.
///   - sourceLocation: Where the issue is reported.
public func checkEqual<Value: Equatable>(
  _ actual: Value, _ expected: Value, _ subject: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  guard actual != expected else { return check(true, "") }
  var (found, wanted) = (describe(actual), describe(expected))
  if found == wanted {
    (found, wanted) = (describe(actual, asASCII: true), describe(expected, asASCII: true))
  }
  let difference = found == wanted ? LookalikeDifference.between(expected, actual) : nil
  check(
    false,
    difference.map { "\(subject()) is \(found), which prints like the expected value: \($0)" }
      ?? "\(subject()) is \(found), expected \(wanted)", sourceLocation: sourceLocation)
}

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
  case let value as any CustomTestStringConvertible:
    let text = value.testDescription
    guard isASCII else { return text }
    return text.unicodeScalars.map { $0.isASCII ? "\($0)" : $0.escaped(asASCII: true) }.joined()
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
