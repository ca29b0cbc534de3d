import Foundation
public import TransportPort

/// A value that a recording redacted, and that a request needs when it is sent again.
public enum RedactedValue: Sendable, Hashable {
  /// A field; of Authorization only what follows the scheme.
  case field(HTTPField.Name)
  /// The cookie with this name.
  case cookie(String)
  /// The item of a query with this name, not percent-encoded.
  case queryItem(String)
  /// The segment of a path after the one with this name.
  case pathSegment(String)
  /// The text at a path in JSON content: one of ``Redaction/jsonPaths``, or `$.user.password`.
  case jsonPath(String)
  /// The field of a form with this name, not percent-encoded.
  case formField(String)

  /// The name in the request.
  public var name: String {
    switch self {
    case .field(let name): name.rawName
    case .cookie(let name), .queryItem(let name), .pathSegment(let name), .jsonPath(let name),
      .formField(let name):
      name
    }
  }

  /// The environment variable for the value: `CONTRACT_SECRET_` and the name in upper case, with `_`
  /// for each run of other characters than letters and digits.
  ///
  /// `CONTRACT_SECRET_AUTHORIZATION`; `CONTRACT_SECRET_USER_PASSWORD` for the JSON path
  /// `$.user.password`.
  public var environmentVariable: String {
    let words = name.uppercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    return "CONTRACT_SECRET_" + words.joined(separator: "_")
  }

  /// The value of ``environmentVariable``; `nil` if it is not set or empty.
  public var inEnvironment: String? {
    let value = ProcessInfo.processInfo.environment[environmentVariable]
    return value?.isEmpty == false ? value : nil
  }
}

extension RedactedValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .field(let name): "the field \(name)"
    case .cookie(let name): "the cookie \(name)"
    case .queryItem(let name): "the query item \(name)"
    case .pathSegment(let name): "the path segment after '\(name)'"
    case .jsonPath(let path): "the JSON path \(path)"
    case .formField(let name): "the form field \(name)"
    }
  }
}
