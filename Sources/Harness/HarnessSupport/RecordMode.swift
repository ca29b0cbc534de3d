import Foundation

/// Whether a test writes recordings, as `CONTRACT_RECORD` says.
package enum RecordMode: String {
  /// No file is written. A missing one is an error.
  case never = "none"
  /// A file is written if it is missing.
  case once
  /// Every file is written.
  case all

  private static let variable = "CONTRACT_RECORD"

  /// Reads the variable; by default nothing is written.
  ///
  /// - Throws: `EnvironmentError` for another value.
  package init(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(EnvironmentError) {
    let text = environment[Self.variable] ?? ""
    guard let mode = text.isEmpty ? .never : Self(rawValue: text) else {
      throw EnvironmentError(
        variable: Self.variable, value: text, expected: "once, all or none")
    }
    self = mode
  }

  /// Whether a file is written.
  package func writes(_ file: URL) -> Bool {
    switch self {
    case .never: false
    case .once: !FileManager.default.fileExists(atPath: file.path)
    case .all: true
    }
  }
}
