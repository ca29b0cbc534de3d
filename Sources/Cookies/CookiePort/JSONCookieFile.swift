import Foundation

/// Reads and writes cookies as JSON with every field: `{"cookies": [{"name": "a", …}], "version":
/// 1}`.
///
/// Instants are numbers of seconds since 2001-01-01 00:00:00 UTC, as `Date` encodes itself, so that
/// fractions are exact.
public enum JSONCookieFile {
  private static let version = 1

  private struct Document: Encodable {
    var version: Int
    var cookies: [Cookie]
  }

  private struct Header: Decodable {
    var version: Int
  }

  private struct Contents: Decodable {
    var cookies: [Candidate]
  }

  /// A cookie or its decoding error, so that a damaged cookie doesn't fail the whole array.
  private struct Candidate: Decodable {
    var result: Result<Cookie, any Error>

    init(from decoder: any Decoder) {
      result = Result { try Cookie(from: decoder) }
    }
  }

  /// Encodes cookies, in their order.
  ///
  /// - Parameter cookies: The cookies.
  /// - Throws: ``CookieFileError`` if a date is NaN or infinite, which a store's cookies never
  ///   have.
  public static func data(for cookies: [Cookie]) throws(CookieFileError) -> Data {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(Document(version: version, cookies: cookies))
    } catch {
      throw CookieFileError(.invalidJSON("\(error)"), at: 0)
    }
  }

  /// Decodes cookies, in the order in which they were written.
  ///
  /// - Parameters:
  ///   - data: The file's contents.
  ///   - profile: The specification by which the cookies are validated.
  /// - Throws: ``CookieFileError``, with the valid cookies if the JSON as a whole is valid.
  public static func cookies(
    in data: Data, profile: CookiePolicy.Profile = .rfc6265bis
  ) throws(CookieFileError) -> [Cookie] {
    let contents: Contents
    do {
      let header = try JSONDecoder().decode(Header.self, from: data)
      guard header.version <= version else {
        throw CookieFileError(.newerVersion(header.version), at: 0)
      }
      guard header.version == version else {
        throw CookieFileError(.invalidJSON("unknown version \(header.version)"), at: 0)
      }
      contents = try JSONDecoder().decode(Contents.self, from: data)
    } catch let error as CookieFileError {
      throw error
    } catch {
      throw CookieFileError(.invalidJSON("\(error)"), at: 0)
    }
    var reader = CookieFileReader(profile: profile)
    for (index, candidate) in contents.cookies.enumerated() {
      switch candidate.result {
      case .success(let cookie): reader.add(cookie, at: index + 1)
      case .failure(let error): reader.add(.invalidJSON("\(error)"), at: index + 1)
      }
    }
    return try reader.result()
  }

  /// Encodes one cookie as JSON on one line.
  static func line(for cookie: Cookie) throws(CookieFileError) -> String {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(cookie), as: UTF8.self)
    } catch {
      throw CookieFileError(.invalidJSON("\(error)"), at: 0)
    }
  }
}

/// Collects the cookies and the problems of a file.
struct CookieFileReader {
  private let policy: CookiePolicy
  private var cookies: [Cookie] = []
  private var problems: [CookieFileError.Problem] = []

  init(profile: CookiePolicy.Profile) {
    policy = CookiePolicy(profile: profile)
  }

  /// Adds a cookie, or the rule that rejects it.
  mutating func add(_ cookie: Cookie, at position: Int) {
    do throws(CookieRejection) {
      try policy.checkRestorable(cookie)
      cookies.append(cookie)
    } catch {
      add(.refused(error), at: position)
    }
  }

  /// Adds a problem.
  mutating func add(_ reason: CookieFileError.Reason, at position: Int) {
    problems.append(CookieFileError.Problem(position: position, reason: reason))
  }

  /// Returns the cookies, or throws if there are problems.
  func result() throws(CookieFileError) -> [Cookie] {
    guard problems.isEmpty else { throw CookieFileError(problems: problems, readable: cookies) }
    return cookies
  }
}

extension CookieFileError {
  /// Creates an error with one problem and no valid cookies.
  init(_ reason: Reason, at position: Int) {
    self.init(problems: [Problem(position: position, reason: reason)], readable: [])
  }
}
