/// An environment variable has a value that can't be used.
public struct EnvironmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String

  /// The variable's value.
  public var value: String

  /// What values the variable may have, as the rest of a sentence that begins with 'give'.
  public var expected: String

  /// Describes a variable with a value that can't be used.
  package init(variable: String, value: String, expected: String) {
    self.variable = variable
    self.value = value
    self.expected = expected
  }

  public var description: String { "\(variable)='\(value)' is not valid: give \(expected)" }
}
