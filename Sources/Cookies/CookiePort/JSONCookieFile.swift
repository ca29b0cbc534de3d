import Foundation

/// Cookies as JSON, with every field: `{"cookies": [{"name": "a", …}], "version": 1}`.
///
/// Instants are numbers, seconds since 1 January 2001 in UTC (as `Date` encodes itself), so that
/// none loses a fraction.
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

  /// A cookie, or why it is none: one that is damaged takes no other with it.
  private struct Candidate: Decodable {
    var result: Result<Cookie, any Error>

    init(from decoder: any Decoder) {
      result = Result { try Cookie(from: decoder) }
    }
  }

  /// Writes cookies, in their order.
  ///
  /// - Throws: ``CookieFileError`` for a cookie with a date that is no number; a store gives none.
  public static func data(for cookies: [Cookie]) throws(CookieFileError) -> Data {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(Document(version: version, cookies: cookies))
    } catch {
      throw CookieFileError(.invalidJSON("\(error)"), at: 0)
    }
  }

  /// Reads cookies, in the order in which they were written.
  ///
  /// - Parameters:
  ///   - data: The file's contents.
  ///   - profile: The specification that the cookies have to satisfy.
  /// - Throws: ``CookieFileError``, with the cookies that can be read if the JSON is in order.
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
        throw CookieFileError(.invalidJSON("there is no version \(header.version)"), at: 0)
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
      case .success(let cookie): reader.take(cookie, at: index + 1)
      case .failure(let error): reader.note(.invalidJSON("\(error)"), at: index + 1)
      }
    }
    return try reader.result()
  }

  /// One cookie as JSON on one line.
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

/// Gathers the cookies of a file and what is wrong with it.
struct CookieFileReader {
  private let policy: CookiePolicy
  private var cookies: [Cookie] = []
  private var problems: [CookieFileError.Problem] = []

  init(profile: CookiePolicy.Profile) {
    policy = CookiePolicy(profile: profile)
  }

  /// Takes a cookie, or notes the rule that refuses it.
  mutating func take(_ cookie: Cookie, at position: Int) {
    do throws(CookieRejection) {
      try policy.checkRestorable(cookie)
      cookies.append(cookie)
    } catch {
      note(.refused(error), at: position)
    }
  }

  /// Notes a problem.
  mutating func note(_ reason: CookieFileError.Reason, at position: Int) {
    problems.append(CookieFileError.Problem(position: position, reason: reason))
  }

  /// The cookies, if nothing was wrong.
  func result() throws(CookieFileError) -> [Cookie] {
    guard problems.isEmpty else { throw CookieFileError(problems: problems, readable: cookies) }
    return cookies
  }
}

extension CookieFileError {
  /// An error of one problem, with nothing readable.
  init(_ reason: Reason, at position: Int) {
    self.init(problems: [Problem(position: position, reason: reason)], readable: [])
  }
}
