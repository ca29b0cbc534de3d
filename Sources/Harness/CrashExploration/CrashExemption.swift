import Foundation

/// Files of a store that are not examined.
struct CrashExemption: Sendable, Hashable {
  /// The name of a file or folder, in which `*` stands for any characters.
  var name: String
  /// Why the store needs nothing of it after a crash.
  var reason: String

  /// What every store may do without.
  ///
  /// Source: <https://www.sqlite.org/walformat.html>.
  static let always = [
    CrashExemption(name: "*-shm", reason: "SQLite makes the index of its write-ahead log again")
  ]

  /// Whether a path has the name, or leads through a folder with the name.
  func covers(_ path: String) -> Bool {
    path.split(separator: "/").contains { fnmatch(name, String($0), 0) == 0 }
  }
}

extension CrashExemption: CustomStringConvertible {
  var description: String { "\(name) (\(reason))" }
}
