public import Testing
public import TransportPort

extension HTTPFields: CustomTestStringConvertible {
  /// The fields on one line, such as `[X-Sum: 42, X-Empty: ]`.
  public var testDescription: String {
    "[" + map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "]"
  }
}
