import CookiePort

/// What ``SQLiteCookieStore/salvage(path:busyTimeout:)`` kept of a damaged file, what it dropped, and where
/// the damaged file is.
public struct CookieSalvage: Sendable, Hashable {
  /// The cookies that the file has now, earliest creation first, including expired ones.
  public var kept: [Cookie]

  /// The rows that were no valid cookies.
  public var dropped: [DroppedRow]

  /// The number of cookies that could not be read; `nil` if the file's count was damaged too.
  public var missing: Int?

  /// The path of the copy of the damaged file, or `nil` if the file was sound, so that it was left unchanged.
  public var damagedCopy: String?

  /// Whether the file was sound.
  public var isSound: Bool { damagedCopy == nil }

  /// A row that was no valid cookie.
  public struct DroppedRow: Sendable, Hashable {
    /// The name, for display: control characters are escaped and invalid bytes replaced.
    public var name: String

    /// The domain, for display.
    public var domain: String

    /// The path, for display.
    public var path: String

    /// What was invalid.
    public var problem: Problem
  }

  /// What is invalid in a row.
  public enum Problem: Sendable, Hashable {
    /// The column of this name has a value that the store never writes.
    case column(String)

    /// No `Set-Cookie` line produces a cookie with these fields.
    case rejected(CookieRejection)
  }
}

extension CookieSalvage: CustomStringConvertible {
  /// The numbers of cookies kept and missing, the damaged file, and each row dropped, one per line.
  public var description: String {
    guard let damagedCopy else { return "the file is sound; it has \(kept.count) cookies" }
    let lost = missing.map { "\($0)" } ?? "an unknown number"
    let first = "kept \(kept.count) cookies, dropped \(dropped.count), could not read \(lost)"
    return ([first, "  the damaged file is \(damagedCopy)"] + dropped.map { "  dropped \($0)" })
      .joined(separator: "\n")
  }
}

extension CookieSalvage.DroppedRow: CustomStringConvertible {
  /// The cookie, and what was invalid.
  public var description: String { "'\(name)' of \(domain)\(path): \(problem)" }
}

extension CookieSalvage.Problem: CustomStringConvertible {
  /// What was invalid.
  public var description: String {
    switch self {
    case .column(let name): "invalid \(name)"
    case .rejected(let rejection): "\(rejection)"
    }
  }
}

extension CookieSalvage.DroppedRow {
  /// Describes the current row of a statement that returns ``CookieRow/columns(domain:)``.
  init(_ statement: Statement) {
    func text(_ column: Int32) -> String {
      String(decoding: statement.bytes(column).prefix(256), as: UTF8.self).unicodeScalars
        .map {
          $0.value < 0x20 || $0.value == 0x7F ? "\\u{\(String($0.value, radix: 16))}" : "\($0)"
        }
        .joined()
    }
    domain = text(0)
    path = text(1)
    name = text(2)
    problem = CookieRow.problem(of: statement)
  }
}
