import Foundation

/// Reads and writes the Netscape `cookies.txt` format of curl, wget and browser extensions.
///
/// A line has seven columns separated by TABs: domain, whether it covers subdomains, path, whether
/// the cookie is `Secure`, expiry in Unix seconds (0 for a session cookie), name and value. The
/// prefix `#HttpOnly_` marks `HttpOnly` cookies; other lines that begin with `#` are comments.
///
/// Fields without a column (SameSite, creation, last access, fractions of a second) are written as
/// JSON in a comment before the line. They apply on reading only if the line hasn't been edited.
/// Cookies without a name, with a TAB in a field, or with octets that are not UTF-8 are written only
/// as a comment, because other programs would misread their line.
public enum NetscapeCookieFile {
  private static let heading = "# Netscape HTTP Cookie File"
  private static let commentPrefix = "# swift-contract-testing: "
  private static let httpOnlyPrefix = "#HttpOnly_"

  /// Encodes cookies, in their order.
  ///
  /// - Parameter cookies: The cookies.
  /// - Throws: ``CookieFileError`` if a date is NaN or infinite, which a store's cookies never
  ///   have.
  public static func data(for cookies: [Cookie]) throws(CookieFileError) -> Data {
    var lines = [heading, ""]
    for cookie in cookies {
      lines.append(commentPrefix + (try JSONCookieFile.line(for: cookie)))
      if let columns = columns(for: cookie) { lines.append(columns) }
    }
    return Data((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// Decodes cookies, in the order of their lines.
  ///
  /// Lines may end in CR LF, and the file may begin with a byte order mark.
  /// - Parameters:
  ///   - data: The file's contents.
  ///   - now: The current time, which becomes the creation of cookies that other programs wrote.
  ///   - profile: The specification by which the cookies are validated.
  /// - Throws: ``CookieFileError`` with every invalid line and the cookies of the valid ones.
  public static func cookies(
    in data: Data, now: Date, profile: CookiePolicy.Profile = .rfc6265bis
  ) throws(CookieFileError) -> [Cookie] {
    var reader = CookieFileReader(profile: profile)
    // The cookie of the comment directly before the current line.
    var commented: Cookie?
    let bytes = Array(data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let position = index + 1
      guard
        let line = String(
          validating: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes,
          as: UTF8.self)
      else {
        reader.add(.notUTF8, at: position)
        commented = nil
        continue
      }
      do throws(CookieFileError.Reason) {
        let preceding = commented
        commented = nil
        if line.utf8.starts(with: commentPrefix.utf8) {
          let cookie = try cookie(ofComment: line)
          if columns(for: cookie) == nil {
            reader.add(cookie, at: position)
          } else {
            commented = cookie
          }
        } else if let preceding, columns(for: preceding)?.hasSameBytes(as: line) == true {
          reader.add(preceding, at: position)
        } else if let cookie = try cookie(ofColumns: line, now: now) {
          reader.add(cookie, at: position)
        }
      } catch {
        reader.add(error, at: position)
      }
    }
    return try reader.result()
  }

  /// Returns the line of a cookie, or `nil` if seven columns can't represent it.
  private static func columns(for cookie: Cookie) -> String? {
    let texts = [cookie.domain, cookie.path, cookie.name, cookie.value]
    guard !cookie.name.isEmpty,
      texts.allSatisfy({ text in
        !text.utf8.contains { $0 == 0x09 || $0.isCookieControl }
          && text.utf8.octetCount == text.utf8.count
      })
    else { return nil }
    // An expiry of 0 means a session cookie.
    let expiry = cookie.expires.map { max(1, $0.timeIntervalSince1970.rounded(.down)) } ?? 0
    return [
      (cookie.isHTTPOnly ? httpOnlyPrefix : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
      cookie.isHostOnly ? "FALSE" : "TRUE", cookie.path, cookie.isSecure ? "TRUE" : "FALSE",
      Int64(exactly: expiry).map(String.init) ?? "0", cookie.name, cookie.value,
    ].joined(separator: "\t")
  }

  /// Decodes the cookie of a comment.
  private static func cookie(
    ofComment line: String
  ) throws(CookieFileError.Reason) -> Cookie {
    do {
      return try JSONDecoder().decode(
        Cookie.self, from: Data(line.utf8.dropFirst(commentPrefix.utf8.count)))
    } catch {
      throw .invalidJSON("\(error)")
    }
  }

  /// Parses the cookie of a line, or returns `nil` for a comment or an empty line.
  private static func cookie(
    ofColumns line: String, now: Date
  ) throws(CookieFileError.Reason) -> Cookie? {
    let isHTTPOnly = line.utf8.starts(with: httpOnlyPrefix.utf8)
    let bytes = line.utf8.dropFirst(isHTTPOnly ? httpOnlyPrefix.utf8.count : 0)
    guard bytes.contains(where: { !$0.isCookieSpace }), bytes.first != UInt8(ascii: "#") else {
      return nil
    }
    var columns = bytes.split(separator: 0x09, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    // Some programs omit the last TAB if the value is empty.
    if columns.count == 6 { columns.append("") }
    guard columns.count == 7 else { throw .columns(columns.count) }
    guard let host = host(columns[0]) else { throw .invalidDomain(columns[0]) }
    return Cookie(
      name: columns[5], value: columns[6], domain: host.name, isHostOnly: try !flag(columns[1]),
      path: columns[2], expires: try expiry(columns[4]), isSecure: try flag(columns[3]),
      isHTTPOnly: isHTTPOnly, creation: now)
  }

  /// Parses the host of a domain column, without a leading dot and a port.
  private static func host(_ text: String) -> CanonicalHost? {
    var bytes = text.utf8[...]
    if bytes.first == UInt8(ascii: ".") { bytes = bytes.dropFirst() }
    // wget(1) adds a port that isn't the scheme's default; several colons are an IPv6 address.
    let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isDigit) { bytes = parts[0] }
    return String(bytes).flatMap(CanonicalHost.init)
  }

  private static func flag(_ text: String) throws(CookieFileError.Reason) -> Bool {
    if text.utf8.equalsCaseInsensitively("TRUE") { return true }
    if text.utf8.equalsCaseInsensitively("FALSE") { return false }
    throw .notAFlag(text)
  }

  /// Parses a number of Unix seconds; returns `nil` for 0 or empty text.
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
