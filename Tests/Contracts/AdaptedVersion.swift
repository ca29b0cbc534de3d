import CCurl
import CPSL
import CSQLite
import ContractEvidence
import ContractTesting
import Foundation
import HarnessSupport
import ScriptedOrigin
import TransportCurlAdapter

/// What live implementations adapt, with its version as it runs here.
enum AdaptedVersion {
  /// libcurl and its TLS library.
  static var curl: String { CurlLibrary.current.description }

  static var sqlite: String { "SQLite \(String(cString: sqlite3_libversion()))" }

  /// The system's kernel: its name and release.
  static var kernel: String {
    var names = utsname()
    uname(&names)
    func text(_ bytes: some Any) -> String {
      withUnsafeBytes(of: bytes) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return text(names.sysname) + " " + text(names.release)
  }

  static var libpsl: String {
    "libpsl \(psl_get_version().map { String(cString: $0) } ?? "unknown")"
  }

  /// Foundation says nothing of itself: on Linux it comes with the compiler, elsewhere with the system.
  static var foundation: String {
    let run = RunSummary.current
    let (source, version) =
      Platform.current == .linux
      ? ("Swift", run.versions["swift"]) : (run.platform, run.versions["os"])
    return "Foundation of \(source) \(version ?? "unknown")"
  }

  /// URLSession, which uses the system's libcurl on Linux.
  static var urlSession: String {
    Platform.current == .linux ? "\(foundation), \(curl)" : foundation
  }

  /// A server, and the libcurl that talks to it.
  static func curl(with server: ForeignServer.Program) throws -> String {
    guard let version = server.version else { throw Unknown() }
    return "\(version), \(curl)"
  }

  /// Code of this package that stands for an app's or a vendor's.
  static func own(_ module: String) -> String { "\(module) of this package, \(packageVersion)" }

  private struct Unknown: Error {}
}
