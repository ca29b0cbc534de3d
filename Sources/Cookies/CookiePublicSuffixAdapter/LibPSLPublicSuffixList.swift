import CPSL
import CookiePort

/// The list of publicsuffix.org, loaded by libpsl.
///
/// It includes the private section: `github.io` is a suffix.
public final class LibPSLPublicSuffixList: PublicSuffixList {
  // Safe across threads: libpsl doesn't change a loaded list, the pointer is constant, and the list
  // is freed only in `deinit`.
  nonisolated(unsafe) private let list: OpaquePointer

  private init(_ list: OpaquePointer) {
    self.list = list
  }

  deinit { psl_free(list) }

  /// The version of libpsl in this process.
  package static var libraryVersion: String { String(cString: psl_get_version()) }

  /// Loads the list that libpsl was built with.
  ///
  /// - Throws: ``PublicSuffixListError/noBuiltInList``.
  public static func builtIn() throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    // Freeing the built-in list does nothing (libpsl manual, psl_free).
    guard let list = psl_builtin() else { throw .noBuiltInList }
    return LibPSLPublicSuffixList(list)
  }

  /// Loads the newest list on this machine: the operating system's or libpsl's built-in one.
  ///
  /// - Throws: ``PublicSuffixListError/noBuiltInList`` if there is neither.
  public static func latest() throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    guard let list = psl_latest(nil) else { throw .noBuiltInList }
    return LibPSLPublicSuffixList(list)
  }

  /// Loads the list in a file, in the text format of publicsuffix.org or libpsl's binary format.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``PublicSuffixListError/unreadable(path:)``.
  public static func file(
    at path: String
  ) throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    guard let list = psl_load_file(path) else { throw .unreadable(path: path) }
    return LibPSLPublicSuffixList(list)
  }

  /// Whether the list names a domain, or the domain is a top-level domain without a rule.
  public func isPublicSuffix(_ domain: String) -> Bool {
    // libpsl treats the empty domain as a suffix.
    !domain.isEmpty && psl_is_public_suffix(list, domain) != 0
  }
}

/// An error of loading a public-suffix list.
public enum PublicSuffixListError: Error, Sendable, Hashable {
  /// libpsl was built without a list, and the operating system has none.
  case noBuiltInList

  /// The file can't be opened, or contains no list.
  case unreadable(path: String)
}

extension PublicSuffixListError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .noBuiltInList:
      "no public-suffix list found: install the package publicsuffix, or load a file"
    case .unreadable(let path):
      "'\(path)' is not a readable public-suffix list: download it from publicsuffix.org"
    }
  }
}
