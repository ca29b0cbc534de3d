import ContractEvidence
import HarnessSupport
import SystemLocks
import Testing

/// The source code behind a contract's cases: whether two runs of a case ran the same code.
///
/// A clause's code is its declaration and what surrounds the contract's clauses in the same file. An
/// implementation's code is what ``Implementation/built(from:)`` names, or the whole package, without the
/// contract's clauses and saboteurs: those belong to the clauses, and changing one concerns no other.
final class ContractSources: Sendable {
  private let revision: Int
  /// Where clauses and saboteurs start, by file.
  private let starts: [String: Set<SourceFile.Position>]
  private let folders: SourceFolders
  private let state = Mutex(State())

  private struct State {
    var files: [String: SourceFile?] = [:]
    var implementations: [String: String?] = [:]
  }

  init<Fixture>(_ contract: Contract<Fixture>, _ folders: SourceFolders) {
    revision = contract.revision
    self.folders = folders
    var starts: [String: Set<SourceFile.Position>] = [:]
    let locations =
      contract.clauses.map(\.sourceLocation) + contract.saboteurs.map(\.sourceLocation)
    for location in locations {
      starts[location.filePath, default: []].insert(Self.position(of: location))
    }
    self.starts = starts
  }

  private static func position(of location: SourceLocation) -> SourceFile.Position {
    .init(line: location.line, column: location.column)
  }

  /// The code of a case, or `nil` if not all of it can be read or is as the test program was built from.
  func code<Fixture>(
    of clause: Clause<Fixture>, on implementation: Implementation<Fixture>
  ) -> CaseCode? {
    guard let file = file(clause.sourceLocation.filePath),
      let declaration = file.declarations[Self.position(of: clause.sourceLocation)],
      let adapter = digest(of: implementation)
    else { return nil }
    var fingerprint = Fingerprint()
    // The clauses of a loop share their source.
    for word in [String(revision), clause.id, declaration, file.surroundings] {
      fingerprint.add(word: word)
    }
    return CaseCode(clause: fingerprint.hexadecimal, implementation: adapter)
  }

  private func file(_ path: String) -> SourceFile? {
    if let known = state.withLock({ $0.files[path] }) { return known }
    let file = folders.content(of: path).map { SourceFile($0, declaring: starts[path] ?? []) }
    state.withLock { $0.files[path] = .some(file) }
    return file
  }

  private func digest<Fixture>(of implementation: Implementation<Fixture>) -> String? {
    if let known = state.withLock({ $0.implementations[implementation.id] }) { return known }
    let digest = uncachedDigest(of: implementation)
    state.withLock { $0.implementations[implementation.id] = .some(digest) }
    return digest
  }

  private func uncachedDigest<Fixture>(of implementation: Implementation<Fixture>) -> String? {
    let fixture = implementation.sourceLocation.filePath
    guard let package = SourceFolders.package(of: fixture) else { return nil }
    var files: Set<String> = [fixture]
    for path in implementation.terms.sources?.map({ "\(package)/\($0)" }) ?? [package] {
      guard let found = folders.files(at: path) else { return nil }
      files.formUnion(found)
    }
    // Dependencies are pinned here. A package without any has no such file.
    let pins = "\(package)/Package.resolved"
    if folders.files(at: pins) != nil { files.insert(pins) }
    files.insert("\(package)/Package.swift")
    var fingerprint = Fingerprint()
    for path in files.sorted() {
      let digest = starts[path] == nil ? folders.digest(of: path) : file(path)?.surroundings
      guard let digest else { return nil }
      let isInPackage = path.hasPrefix(package + "/")
      fingerprint.add(word: isInPackage ? String(path.dropFirst(package.count)) : path)
      fingerprint.add(word: digest)
    }
    return fingerprint.hexadecimal
  }
}
