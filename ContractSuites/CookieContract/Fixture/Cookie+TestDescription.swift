import ContractTesting
public import CookiePort
public import Testing

extension Cookie: CustomTestStringConvertible {
  /// The cookie with all its fields, an attribute only if it is set.
  public var testDescription: String {
    var text = "\(describe(serialized)) of \(isHostOnly ? "" : ".")\(domain)"
    text += describe(path).dropFirst().dropLast()
    if isSecure { text += " Secure" }
    if isHTTPOnly { text += " HttpOnly" }
    if sameSite != .unspecified { text += " SameSite=\(sameSite.rawValue)" }
    if let expires { text += " until \(expires.timeIntervalSince1970)" }
    return text + " created \(creation.timeIntervalSince1970)"
      + " accessed \(lastAccess.timeIntervalSince1970)"
  }
}

extension CookieChange: CustomTestStringConvertible {
  /// The change with the cookies concerned.
  public var testDescription: String {
    switch self {
    case .stored(let cookie, nil): "stored \(describe(cookie))"
    case .stored(let cookie, let old?): "stored \(describe(cookie)) in place of \(describe(old))"
    case .removed(let cookie, let cause): "removed \(describe(cookie)) (\(cause.rawValue))"
    }
  }
}
