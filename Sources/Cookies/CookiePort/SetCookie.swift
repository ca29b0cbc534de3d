import Foundation

/// The parsed value of a `Set-Cookie` header field, before the rules that depend on the request.
///
/// Source: RFC 6265bis §5.6 and RFC 6265 §5.2.
package struct SetCookie: Sendable, Hashable {
  /// The name, possibly empty in the profile of RFC 6265bis.
  package var name: String

  /// The value.
  package var value: String

  /// The date of the last valid `Expires`.
  package var expires: Date?

  /// The seconds of the last valid `Max-Age`, clamped to the range of `Int`.
  package var maxAge: Int?

  /// The last `Domain` in lower case without its leading dot; empty if there is none.
  package var domain = ""

  /// Whether there is a `Path`, with any value.
  package var hasPath = false

  /// The last `Path`, or `nil` for the default path.
  package var path: String?

  /// Whether there is a `Secure`.
  package var isSecure = false

  /// Whether there is an `HttpOnly`.
  package var isHTTPOnly = false

  /// The value of the last `SameSite`.
  package var sameSite = Cookie.SameSite.unspecified

  /// The maximum length of name and value together, in bytes (RFC 6265bis §5.6).
  package static let longestNameAndValue = 4096

  /// The maximum length of an attribute's value in bytes; longer ones are ignored (RFC 6265bis
  /// §5.6).
  package static let longestAttributeValue = 1024

  /// Parses a field's value.
  ///
  /// - Throws: ``CookieRejection/controlCharacter``, ``CookieRejection/missingName``,
  ///   ``CookieRejection/emptyNameAndValue`` or ``CookieRejection/tooLarge``.
  package init(_ line: String, profile: CookiePolicy.Profile) throws(CookieRejection) {
    let read = line.withBytes { bytes in
      Result { () throws(CookieRejection) in try Self(bytes, profile: profile) }
    }
    self = try read.get()
  }

  private init(_ bytes: Bytes, profile: CookiePolicy.Profile) throws(CookieRejection) {
    // The loop has no early exit so that the compiler can vectorize it.
    var controls: UInt8 = 0
    for byte in UnsafeBufferPointer(rebasing: bytes) {
      controls |= byte.isCookieControl ? .max : 0
    }
    guard controls == 0 else { throw .controlCharacter }

    let end = bytes.firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
    let pair = bytes[..<end]
    let name: Bytes
    let value: Bytes
    if let sign = pair.firstIndex(of: UInt8(ascii: "=")) {
      name = pair[..<sign].trimmingSpaces
      value = pair[(sign + 1)...].trimmingSpaces
    } else {
      name = pair.prefix(0)
      value = pair.trimmingSpaces
    }
    try Self.checkSize(name: name.octetCount, value: value.octetCount, profile: profile)
    self.name = String(decoding: name, as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)

    // The first attribute is the empty one before the semicolon.
    var rest = bytes[end...]
    while !rest.isEmpty {
      let attribute = rest[..<(rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex)]
      apply(attribute, profile: profile)
      rest = rest[attribute.endIndex...].dropFirst()
    }
  }

  /// Checks the lengths of a name and a value in octets.
  ///
  /// - Throws: ``CookieRejection/missingName``, ``CookieRejection/emptyNameAndValue`` or
  ///   ``CookieRejection/tooLarge``.
  static func checkSize(
    name: Int, value: Int, profile: CookiePolicy.Profile
  ) throws(CookieRejection) {
    switch profile {
    case .rfc6265:
      guard name > 0 else { throw .missingName }
    case .rfc6265bis:
      guard name + value > 0 else { throw .emptyNameAndValue }
      guard name + value <= longestNameAndValue else { throw .tooLarge }
    }
  }

  /// Applies one attribute if it is known and its value is valid.
  private mutating func apply(_ attribute: Bytes, profile: CookiePolicy.Profile) {
    let sign = attribute.firstIndex(of: UInt8(ascii: "="))
    let name = attribute[..<(sign ?? attribute.endIndex)].trimmingSpaces
    let value = attribute[(sign.map { $0 + 1 } ?? attribute.endIndex)...].trimmingSpaces
    if profile == .rfc6265bis, value.octetCount > Self.longestAttributeValue { return }

    if name.equalsCaseInsensitively("Expires") {
      if let date = CookieDate.parse(value) { expires = date }
    } else if name.equalsCaseInsensitively("Max-Age") {
      if let seconds = Self.seconds(value) { maxAge = seconds }
    } else if name.equalsCaseInsensitively("Domain") {
      // RFC 6265 §5.2.3 ignores an empty value; in RFC 6265bis §5.6.3 it overrides an earlier one.
      if value.isEmpty, profile == .rfc6265 { return }
      let domain = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
      self.domain = String(decoding: domain.map(\.lowercased), as: UTF8.self)
    } else if name.equalsCaseInsensitively("Path") {
      hasPath = true
      path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
    } else if name.equalsCaseInsensitively("Secure") {
      isSecure = true
    } else if name.equalsCaseInsensitively("HttpOnly") {
      isHTTPOnly = true
    } else if name.equalsCaseInsensitively("SameSite"), profile == .rfc6265bis {
      sameSite = Self.sameSite(value)
    }
  }

  /// Parses an optional minus sign and digits, clamped to the range of `Int`.
  private static func seconds(_ value: Bytes) -> Int? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
    var magnitude = 0
    for digit in digits {
      let (tens, tooMany) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, tooMuch) = tens.addingReportingOverflow(Int(digit - 0x30))
      guard !tooMany, !tooMuch else { return isNegative ? .min : .max }
      magnitude = sum
    }
    return isNegative ? -magnitude : magnitude
  }

  private static func sameSite(_ value: Bytes) -> Cookie.SameSite {
    if value.equalsCaseInsensitively("None") { return .none }
    if value.equalsCaseInsensitively("Strict") { return .strict }
    if value.equalsCaseInsensitively("Lax") { return .lax }
    return .unspecified
  }
}
