import ContractTesting
import CookieContract
import CookieFoundationAdapter
import CookiePort
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Implementation<CookieStoreFixture> {
  /// `HTTPCookieStorage` in memory: each case has a separate ephemeral storage.
  static let foundation: Self = live("foundation") { scope in
    try await CookieStoreFixture(in: scope, startingAt: Date()) { _ in
      let storage = try ephemeralCookieStorage(in: scope)
      scope.witnessStorage(storage)
      return FoundationCookieStore(storage)
    }
  }
  .version { _ in AdaptedVersion.foundation }
  .lacking(.persistence, because: "an ephemeral storage is in memory")
  .deviatingByItsInterface
  .deviatingOnLinux

  /// `HTTPCookieStorage` with its file, as in `HTTPCookieStorage.shared`.
  ///
  /// Cases run in other processes, one at a time in each, because the data directory is a variable of the
  /// process's environment. Each handle has a separate storage, which reads the file when it is
  /// created, as in another process.
  static let foundationOnDisk: Self = live("foundation-on-disk") { scope in
    // The usual umask of users, so that the file gets its usual mode.
    umask(0o022)
    return try await CookieStoreFixture(in: scope, startingAt: Date()) { setup in
      let storage = try cookieStorage(in: setup.directory())
      scope.witnessStorage(storage)
      return FoundationCookieStore(storage)
    }
  }
  .version { _ in AdaptedVersion.foundation }
  .inOwnProcess(sharing: .untilCrash)
  .available(when: "Foundation keeps its files in XDG_DATA_HOME") {
    Platform.current == .linux
  }
  .deviatingByItsInterface
  .deviatingOnLinux
  .deviatingInItsFile

  /// Deviations on every platform, because the API of `HTTPCookieStorage` lacks a parameter.
  private var deviatingByItsInterface: Self {
    lacking(.controllableClock, because: "HTTPCookieStorage reads the system clock")
      .lacking(.configurablePolicy, because: "HTTPCookieStorage has fixed rules")
      .deviating(
        from: "http-only-get", "http-only-set", "http-only-overwrite", kind: .unsupported,
        because: "HTTPCookieStorage can't distinguish HTTP from script access",
        on: [.linux, .apple]
      )
      .deviating(
        from: "strict", "lax", "cross-site-set", kind: .unsupported,
        because: "HTTPCookieStorage can't distinguish same-site from cross-site requests",
        on: [.linux, .apple]
      )
      .deviating(
        from: "domain-foreign", "domain-sibling", "host-bytes", "leading-dot", "non-ascii-domain",
        "trailing-dot", "rejection", kind: .unsupported,
        because: "HTTPCookieStorage drops a cookie for another domain without an error",
        on: [.linux, .apple]
      )
      .deviating(
        from: "restore", "restore-replaces", "changes-restored", kind: .unsupported,
        because: "HTTPCookie can't be created with a creation or last access", on: [.linux, .apple]
      )
      .deviating(
        from: "restore-all-or-none", kind: .unsupported,
        because: "HTTPCookie accepts any text", on: [.linux, .apple])
  }

  /// Deviations of swift-corelibs-foundation, as observed in Swift 6.3.
  private var deviatingOnLinux: Self {
    deviating(
      from: "path-itself", "path-slash", "path-match", "path-case", "path-query", "path-percent",
      because: "cookies(for:) ignores Path", on: .linux
    )
    .deviating(
      from: "default-path", "no-path", because: "the default path is always /", on: .linux
    )
    .deviating(
      from: "secure-get", because: "Secure cookies are sent over http", on: .linux
    )
    .deviating(
      from: "secure-set", "overlay", "overlay-beside",
      because: "Secure cookies are set and replaced from http", on: .linux
    )
    .deviating(
      from: "longest-path-first", "earlier-first", "list-all",
      because: "cookies are in the random order of a dictionary", on: .linux
    )
    .deviating(
      from: "identity",
      because: "the key concatenates domain, path and name, so different cookies may share it",
      on: .linux
    )
    .deviating(
      from: "octets", because: "canonically equivalent names and paths share a key",
      on: .linux
    )
    .deviating(
      from: "overwrite-creation", because: "a replaced cookie gets a new creation",
      on: .linux
    )
    .deviating(
      from: "max-age-first", "max-age-deletes", "bad-max-age", "huge-max-age", "session-cookie",
      because: "Max-Age is ignored without Version=1", on: .linux
    )
    .deviating(
      from: "attribute-case", "last-attribute", "host-only-twin", "new-creation", "name-case",
      "end-session", "changes", because: "Max-Age, which the clause uses, is ignored",
      on: .linux
    )
    .deviating(
      from: "two-digit-years", because: "a two-digit year is in the first century",
      on: .linux
    )
    .deviating(
      from: "date-order", "date-digits", "time-of-day", "calendar-days", "time-zones", "first-year",
      because: "Expires is parsed with only three DateFormatter patterns", on: .linux
    )
    .deviating(
      from: "bad-date", because: "an Expires without a date overrides an earlier one", on: .linux
    )
    .deviating(
      from: "comma", because: "a comma splits one Set-Cookie line into two cookies", on: .linux
    )
    .deviating(
      from: "flag-values", because: "Secure and HttpOnly are ignored if they have a value",
      on: .linux
    )
    .deviating(
      from: "long-letters", "raw-octets",
      because:
        "the name's length in UTF-16 is used as a length in characters, which truncates the value",
      on: .linux
    )
    .deviating(
      from: "long-letters-empty", by: .crashing,
      because: "the name's length in UTF-16 exceeds the line, which crashes the process",
      on: .linux
    )
    .deviating(
      from: "joined-signs",
      because: "a separator followed by a combining character is not recognized",
      on: .linux
    )
    .deviating(
      from: "at-once", intermittently: true,
      because: "the storage returns nothing, so the store reads the old cookie by a separate call",
      on: [.linux, .apple]
    )
    .deviating(
      from: "public-suffix", "suffix-host", because: "public suffixes are not checked", on: .linux
    )
    .deviating(
      from: "domain-address", "address-forms",
      because: "Domain=3.4 on 1.2.3.4 is accepted, and the cookie leaks to 9.9.3.4",
      on: .linux
    )
    .deviating(
      from: "ascii-case",
      because: "Domain is converted to lower case by Unicode's rules, so U+212A becomes 'k'",
      on: .linux
    )
    .deviating(
      from: "domain-match",
      because: "a cookie for another domain is dropped without an error", on: .linux
    )
    .deviating(
      from: "empty-domain", because: "a cookie with an empty Domain is lost", on: .linux
    )
    .deviating(
      from: "control-characters", because: "control characters are accepted", on: .linux
    )
    .deviating(
      from: "white-space", because: "all Unicode white space is trimmed from values", on: .linux
    )
    .deviating(
      from: "nameless", "nameless-header", "first-equals", "empty-cookie", "prefix-nameless",
      because: "a cookie without a name is dropped", on: .linux
    )
    .deviating(
      from: "pair-size", "attribute-size", because: "sizes are not limited", on: .linux
    )
    .deviating(
      from: "longest-life", because: "lifetimes are not limited to 400 days", on: .linux
    )
    .deviating(
      from: "secure-prefix", "host-prefix", "prefix-case",
      because: "the prefixes __Secure- and __Host- are not checked", on: .linux
    )
    .deviating(
      from: "same-site-values", "none-needs-secure", because: "SameSite is ignored", on: .linux)
  }
}

extension Implementation<CookieStoreFixture> {
  /// Deviations of the file of swift-corelibs-foundation, as observed in Swift 6.3.
  private var deviatingInItsFile: Self {
    deviating(
      from: "survives-reopen",
      because: "the file loses HttpOnly and the creation, and Secure is not read back", on: .linux
    )
    .deviating(
      from: "reopened-session", kind: .unsupported,
      because: "session cookies are never written: in Foundation a session ends with the process",
      on: .linux
    )
    .deviating(
      from: "private-files", because: "everyone may read the file, whose mode is 0644", on: .linux
    )
    .deviating(
      from: "several-handles", "no-lost-writes",
      because: "a process reads the file once, and each write discards those of other processes",
      on: .linux)
  }
}

/// Creates a separate storage for the cookie file in a directory. The process runs no other case at the same
/// time.
func cookieStorage(in directory: URL) throws -> HTTPCookieStorage {
  // Foundation reads the variable for each storage. No other thread reads the environment
  // meanwhile.
  setenv("XDG_DATA_HOME", directory.path, 1)
  let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
  let files = directory.appendingPathComponent(name, isDirectory: true)
  try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
  // Foundation creates one storage per identifier and names its file `.cookies.ID`. An identifier
  // of two path components leads through a symbolic link, so that any identifier leads to the same
  // file.
  let link = UUID().uuidString
  try FileManager.default.createSymbolicLink(
    atPath: files.path + "/.cookies." + link, withDestinationPath: ".")
  return .sharedCookieStorage(forGroupContainerIdentifier: link + "/cookies")
}

/// Creates an ephemeral cookie storage for one case and removes what Foundation leaves on disk.
func ephemeralCookieStorage(in scope: FixtureScope) throws -> HTTPCookieStorage {
  let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
  // On Linux the first configuration of a process also opens the shared storage, which creates an
  // empty directory with the name of the executable's.
  let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
  let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
  let directory = support.first?.appendingPathComponent(name)
  scope.onTearDown {
    // rmdir(2) removes the directory only if it is empty.
    if let directory { rmdir(directory.path) }
  }
  return storage
}
