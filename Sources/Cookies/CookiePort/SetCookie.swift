import Foundation

/// What the value of a `Set-Cookie` header field says, before anyone asks who sent it.
///
/// Source: RFC 6265bis §5.6 and RFC 6265 §5.2.
package struct SetCookie: Sendable, Hashable {
  /// The name, possibly empty in the profile of RFC 6265bis.
  package var name: String

  /// The value.
  package var value: String

  /// The date of the last `Expires` that holds one.
  package var expires: Date?

  /// The seconds of the last `Max-Age` that holds a number, kept within `Int`.
  package var maxAge: Int?

  /// The last `Domain`, without its leading dot and in lower case; empty means none.
  package var domain = ""

  /// Whether there is a `Path`, of whatever value.
  package var hasPath = false

  /// The last `Path`, or `nil` for the default path.
  package var path: String?

  /// Whether there is a `Secure`.
  package var isSecure = false

  /// Whether there is an `HttpOnly`.
  package var isHTTPOnly = false

  /// What the last `SameSite` says.
  package var sameSite = Cookie.SameSite.unspecified

  /// The most octets of name and value together (RFC 6265bis §5.6).
  package static let longestNameAndValue = 4096

  /// The most octets of an attribute's value that is heeded (RFC 6265bis §5.6).
  package static let longestAttributeValue = 1024

  /// Reads a field's value.
  ///
  /// - Throws: ``CookieRejection/controlCharacter``, ``CookieRejection/missingName``,
  ///   ``CookieRejection/emptyNameAndValue`` or ``CookieRejection/tooLarge``.
  package init(_ line: String, profile: CookiePolicy.Profile) throws(CookieRejection) {
    let read = line.withOctets { octets in
      Result { () throws(CookieRejection) in try Self(octets, profile: profile) }
    }
    self = try read.get()
  }

  private init(_ octets: Octets, profile: CookiePolicy.Profile) throws(CookieRejection) {
    // Without a way out of the loop, the compiler takes many octets at a time.
    var controls: UInt8 = 0
    for octet in octets { controls |= octet.isCookieControl ? 1 : 0 }
    guard controls == 0 else { throw .controlCharacter }

    let end = octets.firstIndex(of: UInt8(ascii: ";")) ?? octets.endIndex
    let pair = octets[..<end]
    let name: Octets
    let value: Octets
    if let sign = pair.firstIndex(of: UInt8(ascii: "=")) {
      name = pair[..<sign].trimmingSpaces
      value = pair[(sign + 1)...].trimmingSpaces
    } else {
      name = pair.prefix(0)
      value = pair.trimmingSpaces
    }
    try Self.checkSize(name: name.count, value: value.count, profile: profile)
    self.name = String(decoding: name, as: UTF8.self)
    self.value = String(decoding: value, as: UTF8.self)

    var rest = octets[end...].dropFirst()
    while !rest.isEmpty {
      let attribute = rest[..<(rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex)]
      take(attribute, profile: profile)
      rest = rest[attribute.endIndex...].dropFirst()
    }
  }

  /// Checks the numbers of octets of a name and a value.
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

  /// Heeds one attribute, if it is known and its value is fit.
  private mutating func take(_ attribute: Octets, profile: CookiePolicy.Profile) {
    let sign = attribute.firstIndex(of: UInt8(ascii: "="))
    let name = attribute[..<(sign ?? attribute.endIndex)].trimmingSpaces
    let value = attribute[(sign.map { $0 + 1 } ?? attribute.endIndex)...].trimmingSpaces
    if profile == .rfc6265bis, value.count > Self.longestAttributeValue { return }

    if name.equalsCaseInsensitively("Expires") {
      if let date = CookieDate.parse(value) { expires = date }
    } else if name.equalsCaseInsensitively("Max-Age") {
      if let seconds = Self.seconds(value) { maxAge = seconds }
    } else if name.equalsCaseInsensitively("Domain") {
      // RFC 6265 §5.2.3 ignores an empty value; RFC 6265bis §5.6.3 lets it undo an earlier one.
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

  /// The number of an optional minus sign and digits, held at the ends of `Int`; `nil` for others.
  private static func seconds(_ value: Octets) -> Int? {
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

  private static func sameSite(_ value: Octets) -> Cookie.SameSite {
    if value.equalsCaseInsensitively("None") { return .none }
    if value.equalsCaseInsensitively("Strict") { return .strict }
    if value.equalsCaseInsensitively("Lax") { return .lax }
    return .unspecified
  }
}
