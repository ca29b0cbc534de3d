/// Why a file of cookies can't be read or written in full.
public struct CookieFileError: Error, Sendable, Hashable {
  /// What is wrong, in the file's order; never empty.
  public var problems: [Problem]

  /// The cookies that nothing is wrong with, for callers who would rather have some than none.
  public var readable: [Cookie]

  /// One thing wrong with a file.
  public struct Problem: Sendable, Hashable {
    /// Where: the line of a `cookies.txt`, the cookie of a JSON file, counted from 1; 0 for the whole.
    public var position: Int

    /// What is wrong there.
    public var reason: Reason
  }

  /// What can be wrong.
  public enum Reason: Sendable, Hashable {
    /// The octets are not UTF-8.
    case notUTF8
    /// The line has this many columns instead of 7.
    case columns(Int)
    /// The column should say `TRUE` or `FALSE`, and says this.
    case notAFlag(String)
    /// The domain is neither a host name nor an IP address.
    case invalidDomain(String)
    /// The expiry is not a number of seconds.
    case invalidExpiry(String)
    /// The JSON is not what it should be, in the words of the decoder.
    case invalidJSON(String)
    /// The JSON was written by this newer version of the format.
    case newerVersion(Int)
    /// No `Set-Cookie` line could make the cookie.
    case refused(CookieRejection)
  }
}

extension CookieFileError: CustomStringConvertible {
  /// Each problem on a line.
  public var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}

extension CookieFileError.Problem: CustomStringConvertible {
  /// Where it is, and what to do about it.
  public var description: String {
    let place = position == 0 ? "the file" : "number \(position)"
    return switch reason {
    case .notUTF8: "\(place) is not UTF-8: convert it"
    case .columns(let count): "\(place) has \(count) columns: write 7, parted by single TABs"
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
