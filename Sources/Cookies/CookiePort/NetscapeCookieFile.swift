import Foundation

/// Cookies as a Netscape `cookies.txt`, the format that curl, wget and browser extensions share.
///
/// A line has seven columns parted by TABs: domain, whether hosts below it are meant, path, whether
/// it is secure, expiry in Unix seconds (0 for a session cookie), name and value; `#HttpOnly_` stands
/// before those hidden from scripts, other lines that begin with `#` are comments. What has no column
/// (SameSite, times, fractions of a second) stands as JSON in a comment before the line, and counts
/// as long as nobody has edited the line. Cookies without a name, or with a TAB in one of their
/// fields, stand in the comment alone: other programs would take them for something else.
public enum NetscapeCookieFile {
  private static let heading = "# Netscape HTTP Cookie File"
  private static let note = "# swift-contract-testing: "
  private static let httpOnly = "#HttpOnly_"

  /// Writes cookies, in their order.
  ///
  /// - Throws: ``CookieFileError`` for a cookie with a date that is no number; a store gives none.
  public static func data(for cookies: [Cookie]) throws(CookieFileError) -> Data {
    var lines = [heading, ""]
    for cookie in cookies {
      lines.append(note + (try JSONCookieFile.line(for: cookie)))
      if let columns = columns(for: cookie) { lines.append(columns) }
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Reads cookies, in the order of their lines.
  ///
  /// Lines may end in CR LF. Lines of other programs make cookies created now.
  /// - Parameters:
  ///   - data: The file's contents.
  ///   - now: The present.
  ///   - profile: The specification that the cookies have to satisfy.
  /// - Throws: ``CookieFileError`` with every bad line, and the cookies of the good ones.
  public static func cookies(
    in data: Data, now: Date, profile: CookiePolicy.Profile = .rfc6265bis
  ) throws(CookieFileError) -> [Cookie] {
    var reader = CookieFileReader(profile: profile)
    var noted: Cookie?
    let octets = Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    let lines = octets.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, octets) in lines.enumerated() {
      let position = index + 1
      guard
        let line = String(
          validating: octets.last == UInt8(ascii: "\r") ? octets.dropLast() : octets,
          as: UTF8.self)
      else {
        reader.note(.notUTF8, at: position)
        noted = nil
        continue
      }
      do throws(CookieFileError.Reason) {
        let before = noted
        noted = nil
        if line.utf8.starts(with: note.utf8) {
          let cookie = try cookie(ofNote: line)
          if columns(for: cookie) == nil {
            reader.take(cookie, at: position)
          } else {
            noted = cookie
          }
        } else if let before, columns(for: before)?.hasSameOctets(as: line) == true {
          reader.take(before, at: position)
        } else if let cookie = try cookie(ofColumns: line, now: now) {
          reader.take(cookie, at: position)
        }
      } catch {
        reader.note(error, at: position)
      }
    }
    return try reader.result()
  }

  /// The line of a cookie, or `nil` where seven columns would say something else.
  private static func columns(for cookie: Cookie) -> String? {
    let texts = [cookie.domain, cookie.path, cookie.name, cookie.value]
    guard !cookie.name.isEmpty,
      texts.allSatisfy({ !$0.utf8.contains { $0 == 0x09 || $0.isCookieControl } })
    else { return nil }
    // An expiry of 0 would say 'session'.
    let expiry = cookie.expires.map { max(1, $0.timeIntervalSince1970.rounded(.down)) } ?? 0
    return [
      (cookie.isHTTPOnly ? httpOnly : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      Int64(exactly: expiry).map(String.init) ?? "0", cookie.name, cookie.value,
    ].joined(separator: "\t")
  }

  /// The cookie that a comment holds.
  private static func cookie(
    ofNote line: String
  ) throws(CookieFileError.Reason) -> Cookie {
    do {
      return try JSONDecoder().decode(
        Cookie.self, from: Data(line.utf8.dropFirst(note.utf8.count)))
    } catch {
      throw .invalidJSON("\(error)")
    }
  }

  /// The cookie that a line says, or `nil` for a comment or an empty line.
  private static func cookie(
    ofColumns line: String, now: Date
  ) throws(CookieFileError.Reason) -> Cookie? {
    let isHTTPOnly = line.utf8.starts(with: httpOnly.utf8)
    let octets = line.utf8.dropFirst(isHTTPOnly ? httpOnly.utf8.count : 0)
    guard octets.contains(where: { !$0.isCookieSpace }), octets.first != UInt8(ascii: "#") else {
      return nil
    }
    var columns = octets.split(separator: 0x09, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // Some programs leave out the last TAB when the value is empty.
    if columns.count == 6 { columns.append("") }
    guard columns.count == 7 else { throw .columns(columns.count) }
    guard let host = host(columns[0]) else { throw .invalidDomain(columns[0]) }
    return Cookie(
      name: columns[5], value: columns[6], domain: host.name, isHostOnly: try !flag(columns[1]),
      path: columns[2], expires: try expiry(columns[4]), isSecure: try flag(columns[3]),
      isHTTPOnly: isHTTPOnly, creation: now)
  }

  /// The host of a domain column, without a leading dot and a port.
  private static func host(_ text: String) -> CanonicalHost? {
    var octets = text.utf8[...]
    if octets.first == UInt8(ascii: ".") { octets = octets.dropFirst() }
    // wget(1) adds a port that is not the scheme's own; more than one colon is an IPv6 address.
    let parts = octets.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isDigit) { octets = parts[0] }
    return String(octets).flatMap(CanonicalHost.init)
  }

  private static func flag(_ text: String) throws(CookieFileError.Reason) -> Bool {
    if text.utf8.equalsCaseInsensitively("TRUE") { return true }
    if text.utf8.equalsCaseInsensitively("FALSE") { return false }
    throw .notAFlag(text)
  }

  /// The instant of a number of Unix seconds; none for 0 or nothing.
  private static func expiry(_ text: String) throws(CookieFileError.Reason) -> Date? {
    if text.isEmpty { return nil }
    guard
      text.utf8.allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }),
      let seconds = Double(text)
    else { throw .invalidExpiry(text) }
    if seconds == 0 { return nil }
    return min(max(Date(timeIntervalSince1970: seconds), CookieDate.earliest), CookieDate.latest)
  }
}

extension CookieFileError.Reason: Error {}
