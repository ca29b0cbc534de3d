/// An error of reading or writing a file of cookies.
public struct CookieFileError: Error, Sendable, Hashable {
  /// The problems, in the file's order; never empty.
  public var problems: [Problem]

  /// The valid cookies, for callers that want to use the rest of a damaged file.
  public var readable: [Cookie]

  /// A problem in a file.
  public struct Problem: Sendable, Hashable {
    /// The line of a `cookies.txt` or the cookie of a JSON file, from 1; 0 for the whole file.
    public var position: Int

    /// What is wrong at that position.
    public var reason: Reason

    /// Creates a problem.
    public init(position: Int, reason: Reason) {
      self.position = position
      self.reason = reason
    }
  }

  /// The kinds of problems.
  public enum Reason: Sendable, Hashable {
    /// The bytes are not UTF-8.
    case notUTF8
    /// The line has this number of columns instead of 7.
    case columns(Int)
    /// The column is neither `TRUE` nor `FALSE`.
    case notAFlag(String)
    /// The domain is neither a host name nor an IP address.
    case invalidDomain(String)
    /// The expiry is not a number of seconds.
    case invalidExpiry(String)
    /// The JSON is invalid or has another structure; the text is the decoder's message.
    case invalidJSON(String)
    /// The JSON has this version, which is newer than this package.
    case newerVersion(Int)
    /// The cookie is invalid: no `Set-Cookie` line can produce it.
    case refused(CookieRejection)
  }
}

extension CookieFileError: CustomStringConvertible {
  /// The problems, one per line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

extension CookieFileError.Problem: CustomStringConvertible {
  /// The position of the problem, and what to do.
  public var description: String {
    let place = position == 0 ? "the file" : "entry \(position)"
    return switch reason {
    case .notUTF8: "\(place) is not UTF-8: convert it"
    case .columns(let count): "\(place) has \(count) columns: write 7, separated by single TABs"
    case .notAFlag(let text): "\(place) has '\(text)' for a flag: write TRUE or FALSE"
    case .invalidDomain(let text): "\(place) has '\(text)' for a domain: write a host name"
    case .invalidExpiry(let text):
      "\(place) has '\(text)' for an expiry: write Unix seconds, or 0 for a session cookie"
    case .invalidJSON(let detail): "\(place) is not a cookie in JSON: \(detail)"
    case .newerVersion(let version):
      "\(place) has version \(version) of the format: update this package"
    case .refused(let rejection): "\(place): \(rejection)"
    }
  }
}
