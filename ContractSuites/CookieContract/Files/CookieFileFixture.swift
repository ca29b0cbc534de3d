import ContractTesting
public import CookiePort
public import Foundation
import Testing

/// A reader and a writer of cookie files under test.
public struct CookieFileFixture: Sendable {
  /// Writes a file.
  let write: @Sendable ([Cookie]) throws -> Data

  /// Reads the cookies of a file's valid lines.
  let read: @Sendable (Data) throws -> [Cookie]

  /// What a line has for the expiry of a session cookie.
  let session: String

  /// Creates a fixture.
  ///
  /// - Parameters:
  ///   - session: What a line has for the expiry of a session cookie, "0" by default. A program that writes
  ///     something else deviates from the clause "session" and can still be examined by the others.
  ///   - write: Writes a file.
  ///   - read: Reads the cookies of a file's valid lines, with any dates of creation and last access.
  public init(
    session: String = "0", writing write: @escaping @Sendable ([Cookie]) throws -> Data,
    reading read: @escaping @Sendable (Data) throws -> [Cookie]
  ) {
    self.session = session
    self.write = write
    self.read = read
  }

  /// The Netscape cookie files of this package, whose error has both what can be read and what not.
  public static let netscape = CookieFileFixture(writing: NetscapeCookieFile.data(for:)) { data in
    do throws(CookieFileError) {
      return try NetscapeCookieFile.cookies(in: data, now: .distantPast)
    } catch {
      return error.readable
    }
  }

  /// An expiry that every reader keeps: in whole seconds, and within 400 days.
  let expiry = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 200 * 86_400)

  /// The expiry as the file has it.
  var seconds: String { "\(Int(expiry.timeIntervalSince1970))" }

  /// Checks which cookies a file has, in any order and without the fields that have no column.
  func expect(
    _ expected: [Cookie], in lines: [String], endingIn end: String = "\n",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = lines.map { $0 + end }.joined()
    let found = try read(Data(text.utf8))
    checkEqual(
      inColumns(found), inColumns(expected), "the cookies of \(describe(text))",
      sourceLocation: sourceLocation)
  }

  /// The cookies by name, without the fields that have no column.
  func inColumns(_ cookies: [Cookie]) -> [Cookie] {
    cookies.map {
      Cookie(
        name: $0.name, value: $0.value, domain: $0.domain, isHostOnly: $0.isHostOnly,
        path: $0.path, expires: $0.expires, isSecure: $0.isSecure, isHTTPOnly: $0.isHTTPOnly,
        creation: .distantPast)
    }.sorted { $0.name < $1.name }
  }
}
