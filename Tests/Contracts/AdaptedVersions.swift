import CSQLite
import TransportCurlAdapter

@testable import ContractTesting

extension Implementation {
  /// Names the SQLite of this process.
  var ofSQLite: Self { version { _ in "SQLite \(String(cString: sqlite3_libversion()))" } }

  /// Names the Foundation of this process.
  var ofFoundation: Self { version { _ in foundationVersion } }

  /// Names the libcurl of this process, and what a server prints about itself.
  ///
  /// - Parameter server: The server's program, and the argument that prints its version.
  func ofLibcurl(with server: [String]? = nil) -> Self {
    version { _ in
      let output = server.flatMap { ProgramOutput.of($0, within: .seconds(5)) } ?? []
      let line = String(decoding: output, as: UTF8.self).split(separator: "\n").first ?? ""
      return CurlLibrary.current.description + (line.isEmpty ? "" : ", \(line.prefix(60))")
    }
  }

  /// Names this package, whose commit the run names.
  var ofThisPackage: Self { version { _ in "this package" } }
}
