public import ContractTesting
public import FilesPort
import Testing

extension Capability {
  /// Permissions hold, as they do for everybody but the superuser.
  public static let permissions = Capability(
    "permissions", "permissions hold, as they do for everybody but the superuser")

  /// Names that differ in case are different names.
  public static let caseSensitiveNames = Capability(
    "case-sensitive-names", "names that differ in case are different names")

  /// Names that differ in Unicode normalisation are different names.
  public static let exactNames = Capability(
    "exact-names", "names that differ in Unicode normalisation are different names")
}

extension Contract<any Files> {
  /// The behaviour of all files. The root is empty, writable, and only the case uses it.
  ///
  /// Sources are functions and utilities of IEEE Std 1003.1-2024.
  public static let files: Self = Contract("files", "Files", leavesOthersToMutants: true) {
    ClauseGroup("Content") { contentClauses }
    ClauseGroup("Paths") { pathClauses }
    ClauseGroup("Links") { linkClauses }
    ClauseGroup("Directories") { directoryClauses }
    ClauseGroup("Copies") { copyClauses }
    ClauseGroup("Moves") { moveClauses }
    ClauseGroup("Removal") { removalClauses }
    ClauseGroup("Permissions") { permissionClauses }
    ClauseGroup("Times") { timeClauses }
    ClauseGroup("Names") { nameClauses }
  } saboteurs: {
    Saboteur(
      "folded", "compares names without case and normalisation", caughtBy: "case", "normalisation"
    ) {
      InMemoryFiles(names: .folded)
    }
    Saboteur(
      "stopped-clock", "never changes a time", caughtBy: "writes-change-times",
      "entries-change-times"
    ) {
      InMemoryFiles { FileTime(seconds: 0) }
    }
    Saboteur("closed", "lets nobody through new directories", caughtBy: "permissions-kept") {
      InMemoryFiles(umask: 0o100)
    }
  }
}

extension Files {
  /// Writes a text.
  func put(_ text: String, _ path: String) throws(FilesError) {
    try write(Array(text.utf8), to: path, .replacing)
  }

  /// Reads a text.
  func text(_ path: String) throws(FilesError) -> String {
    String(decoding: try read(path), as: UTF8.self)
  }

  /// Creates a directory in an existing one.
  func makeDirectory(_ path: String) throws(FilesError) {
    try createDirectory(path, withParents: false)
  }

  /// The kind of node, without following a link, or `nil` if nothing is there.
  func kind(_ path: String) throws(FilesError) -> FileKind? {
    do throws(FilesError) { return try kind(of: path, followingLinks: false) } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
  }
}

/// Expects an error with a reason, and with a path where that is given.
func expectError<Value>(
  _ reason: FilesError.Reason, at path: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) {
  let error = #expect(throws: FilesError.self, sourceLocation: sourceLocation) { _ = try body() }
  guard let error else { return }
  #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
  if let path { #expect(error.path == path, "\(error)", sourceLocation: sourceLocation) }
}
