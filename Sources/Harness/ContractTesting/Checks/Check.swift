public import Testing

/// Records an issue with a message of its own if a condition does not hold.
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
  if !condition { Issue.record("\(message())", sourceLocation: sourceLocation) }
}

/// Records an issue that names both values if they are not equal: `the path is '/a', expected '/'`.
///
/// If both values print alike, the message shows their Unicode scalars: `==` on `String` compares
/// canonical equivalence, so values that print alike can still differ inside a larger value.
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
  guard actual != expected else { return }
  var (found, wanted) = (describe(actual), describe(expected))
  if found == wanted {
    (found, wanted) = (describe(actual, asASCII: true), describe(expected, asASCII: true))
  }
  check(false, "\(subject()) is \(found), expected \(wanted)", sourceLocation: sourceLocation)
}
