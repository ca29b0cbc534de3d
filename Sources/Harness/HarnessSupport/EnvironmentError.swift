/// An error for an environment variable with an invalid value.
public struct EnvironmentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The variable's name.
  public var variable: String

  /// The variable's value.
  public var value: String

  /// The valid values, as the rest of a sentence that begins with 'give'.
  public var expected: String

  /// Creates an error for a variable.
  package init(variable: String, value: String, expected: String) {
    self.variable = variable
    self.value = value
    self.expected = expected
  }

  /// A message that names the variable and its valid values.
  public var description: String { "\(variable)='\(value)' is not valid: give \(expected)" }
}
