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
  /// `HTTPCookieStorage` as it is: each case has an ephemeral storage of its own.
  static let foundation = live("foundation") { scope in
    try await CookieStoreFixture(in: scope, startingAt: Date()) { _ in
      FoundationCookieStore(try ephemeralCookieStorage(in: scope))
    }
  }
  .lacking(.persistence, because: "an ephemeral storage is in memory")
  .deviatingByItsInterface
  .deviatingOnLinux

  /// `HTTPCookieStorage` with its file: what an app has by `HTTPCookieStorage.shared`.
  ///
  /// Each case has a process with a data folder of its own, and each handle a storage of its own: one
  /// that reads the file when it is made, as another process would.
  static let foundationOnDisk = live("foundation-on-disk") { scope in
    // The file gets the mode that most users' files get.
    umask(0o022)
    return try await CookieStoreFixture(in: scope, startingAt: Date()) { setup in
      FoundationCookieStore(try cookieStorage(in: setup.directory()))
    }
  }
  .inOwnProcess()
  .available(when: "Foundation keeps its files where XDG_DATA_HOME says") {
    Platform.current == .linux
  }
  .deviatingByItsInterface
  .deviatingOnLinux
  .deviatingInItsFile

  /// What the interface of `HTTPCookieStorage` has no place for, on every platform.
  private var deviatingByItsInterface: Self {
    lacking(.controllableClock, because: "HTTPCookieStorage reads the system's clock")
      .lacking(.configurablePolicy, because: "HTTPCookieStorage has one set of rules")
      .deviating(
        from: "http-only-get", "http-only-set", "http-only-overwrite", kind: .unsupported,
        because: "HTTPCookieStorage isn't told whether HTTP or a script is asking",
        on: [.linux, .apple]
      )
      .deviating(
        from: "strict", "lax", "cross-site-set", kind: .unsupported,
        because: "HTTPCookieStorage isn't told whether a request is same-site",
        on: [.linux, .apple]
      )
      .deviating(
        from: "domain-foreign", "domain-sibling", "leading-dot", "non-ascii-domain", "trailing-dot",
        "rejection", kind: .unsupported,
        because: "HTTPCookieStorage drops a cookie for another domain without a word",
        on: [.linux, .apple]
      )
      .deviating(
        from: "restore", "restore-replaces", "changes-restored", kind: .unsupported,
        because: "HTTPCookie takes neither a creation nor a last access", on: [.linux, .apple]
      )
      .deviating(
        from: "restore-all-or-none", kind: .unsupported,
        because: "HTTPCookie takes whatever it is given", on: [.linux, .apple])
  }

  /// What swift-corelibs-foundation does otherwise, as observed in Swift 6.3.
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
      because: "cookies come in a dictionary's order, another in each process", on: .linux
    )
    .deviating(
      from: "identity",
      because: "the key is domain, path and name run together, so that two cookies may share it",
      on: .linux
    )
    .deviating(
      from: "octets", because: "names and paths that are canonically equivalent share a key",
      on: .linux
    )
    .deviating(
      from: "overwrite-creation", because: "a cookie that is set again gets a new creation",
      on: .linux
    )
    .deviating(
      from: "max-age-first", "max-age-deletes", "bad-max-age", "huge-max-age", "session-cookie",
      because: "Max-Age is ignored without Version=1", on: .linux
    )
    .deviating(
      from: "attribute-case", "last-attribute", "host-only-twin", "new-creation", "name-case",
      "end-session", "changes", because: "Max-Age, of which the clause makes use, is ignored",
      on: .linux
    )
    .deviating(
      from: "two-digit-years", because: "a year of two digits is one of the first century",
      on: .linux
    )
    .deviating(
      from: "date-order", "date-digits", "time-of-day", "calendar-days", "time-zones", "first-year",
      because: "Expires is read by three patterns of DateFormatter and no others", on: .linux
    )
    .deviating(
      from: "bad-date", because: "an Expires without a date undoes an earlier one", on: .linux
    )
    .deviating(
      from: "comma", because: "a comma splits one Set-Cookie line into two cookies", on: .linux
    )
    .deviating(
      from: "flag-values", because: "Secure and HttpOnly are ignored where they have a value",
      on: .linux
    )
    .deviating(
      from: "long-letters",
      because:
        "the value is found by counting the name in UTF-16, and loses what letters have more",
      on: .linux
    )
    .deviating(
      from: "long-letters-empty", by: .crashing,
      because: "counting the name in UTF-16 passes the end of the line, and ends the process",
      on: .linux
    )
    .deviating(
      from: "joined-signs",
      because: "a sign is not found where the next character joins with it into one letter",
      on: .linux
    )
    .deviating(
      from: "at-once", intermittently: true,
      because: "the storage answers nothing, and what it held is asked for by a call of its own",
      on: [.linux, .apple]
    )
    .deviating(
      from: "public-suffix", "suffix-host", because: "public suffixes are not known", on: .linux
    )
    .deviating(
      from: "domain-address", because: "Domain=3.4 on 1.2.3.4 is taken, and leaks to 9.9.3.4",
      on: .linux
    )
    .deviating(
      from: "domain-match",
      because: "a cookie for another domain is dropped without a word", on: .linux
    )
    .deviating(
      from: "empty-domain", because: "a cookie with an empty Domain is lost", on: .linux
    )
    .deviating(
      from: "control-characters", because: "control characters are taken", on: .linux
    )
    .deviating(
      from: "white-space", because: "every Unicode white space is trimmed from values", on: .linux
    )
    .deviating(
      from: "nameless", "nameless-header", "first-equals", "empty-cookie", "prefix-nameless",
      because: "a cookie without a name is dropped", on: .linux
    )
    .deviating(
      from: "pair-size", "attribute-size", because: "nothing is limited in size", on: .linux
    )
    .deviating(
      from: "longest-life", because: "no life is limited to 400 days", on: .linux
    )
    .deviating(
      from: "secure-prefix", "host-prefix", "prefix-case",
      because: "the prefixes __Secure- and __Host- are not known", on: .linux
    )
    .deviating(
      from: "same-site-values", "none-needs-secure", because: "SameSite is ignored", on: .linux)
  }
}

extension Implementation<CookieStoreFixture> {
  /// What the file of swift-corelibs-foundation does otherwise, as observed in Swift 6.3.
  private var deviatingInItsFile: Self {
    deviating(
      from: "survives-reopen",
      because: "the file loses HttpOnly and the creation, and Secure is not read again", on: .linux
    )
    .deviating(
      from: "reopened-session", kind: .unsupported,
      because: "a session cookie is never written: for Foundation, a session ends with the process",
      on: .linux
    )
    .deviating(
      from: "private-files", because: "everybody may read the file, whose mode is 0644", on: .linux
    )
    .deviating(
      from: "several-handles", "no-lost-writes",
      because: "the file is read once a process, and each write replaces what others have written",
      on: .linux)
  }
}

/// A storage of its own over the file in a folder, in a process that makes no others.
func cookieStorage(in folder: URL) throws -> HTTPCookieStorage {
  // Read anew for each storage, of which no other thread makes one.
  setenv("XDG_DATA_HOME", folder.path, 1)
  let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
  let files = folder.appendingPathComponent(name, isDirectory: true)
  try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
  // A storage is made once for each identifier, and its file named by it: `.cookies.ID`. An identifier
  // of two components leads through a link to one file by any name.
  let link = UUID().uuidString
  try FileManager.default.createSymbolicLink(
    atPath: files.path + "/.cookies." + link, withDestinationPath: ".")
  return .sharedCookieStorage(forGroupContainerIdentifier: link + "/cookies")
}

/// A cookie storage of its own for one case, which leaves nothing behind.
func ephemeralCookieStorage(in scope: FixtureScope) throws -> HTTPCookieStorage {
  let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
  // On Linux the first configuration of a process opens the shared storage too, which makes an
  // empty folder named after the executable's.
  let name = Bundle.main.bundleURL.deletingPathExtension().lastPathComponent
  let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
  let folder = support.first?.appendingPathComponent(name)
  scope.onTearDown {
    // Removes the folder only where it is empty.
    if let folder { rmdir(folder.path) }
  }
  return storage
}
