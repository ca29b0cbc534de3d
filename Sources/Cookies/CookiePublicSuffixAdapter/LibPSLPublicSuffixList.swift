import CPSL
import CookiePort

/// The list of publicsuffix.org, by way of libpsl.
///
/// Its private section counts too: `github.io` is a suffix.
public final class LibPSLPublicSuffixList: PublicSuffixList {
  // libpsl only reads a list once it is loaded, so that threads may share it; the pointer never
  // changes, and is freed when nobody holds this object any more.
  nonisolated(unsafe) private let list: OpaquePointer

  private init(_ list: OpaquePointer) {
    self.list = list
  }

  deinit { psl_free(list) }

  /// The list that libpsl was built with.
  ///
  /// - Throws: ``PublicSuffixListError/noBuiltInList``.
  public static func builtIn() throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    // Freeing the built-in list does nothing (libpsl manual, psl_free).
    guard let list = psl_builtin() else { throw .noBuiltInList }
    return LibPSLPublicSuffixList(list)
  }

  /// The newest list on this machine: the operating system's or the one that libpsl was built with.
  ///
  /// - Throws: ``PublicSuffixListError/noBuiltInList`` when there is neither.
  public static func latest() throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    guard let list = psl_latest(nil) else { throw .noBuiltInList }
    return LibPSLPublicSuffixList(list)
  }

  /// The list in a file, as text of publicsuffix.org or in libpsl's own binary form.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``PublicSuffixListError/unreadable(path:)``.
  public static func file(
    at path: String
  ) throws(PublicSuffixListError) -> LibPSLPublicSuffixList {
    guard let list = psl_load_file(path) else { throw .unreadable(path: path) }
    return LibPSLPublicSuffixList(list)
  }

  /// Whether the list calls `domain` a suffix, or no rule names it and it is a top-level domain.
  public func isPublicSuffix(_ domain: String) -> Bool {
    // libpsl takes the empty domain for a suffix.
    !domain.isEmpty && psl_is_public_suffix(list, domain) != 0
  }
}

/// Why there is no public-suffix list.
public enum PublicSuffixListError: Error, Sendable, Hashable {
  /// libpsl was built without a list, and the operating system brings none.
  case noBuiltInList

  /// The file can't be opened, or holds no list.
  case unreadable(path: String)
}

extension PublicSuffixListError: CustomStringConvertible {
  /// What happened, to what, and what to do.
  public var description: String {
    switch self {
    case .noBuiltInList:
      "libpsl has no list: install the package publicsuffix, or load a file"
    case .unreadable(let path):
      "'\(path)' is not a readable public-suffix list: take one from publicsuffix.org"
    }
  }
}
