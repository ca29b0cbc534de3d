import ContractEvidence
import Foundation
internal import HarnessSupport
import SystemLocks

/// Fingerprints that tell whether an earlier result still holds.
struct Keys: Sendable {
  private let files: [String: String]
  private let judging: String

  /// Fingerprints the mutated files and the code that judges them.
  ///
  /// A result holds as long as the mutant's file, the other modules of the tests and the selection
  /// of cases are the same. A change in another file of the same target is not noticed.
  init(
    _ modules: [MutatedModule], _ program: CaseServerProcess.Program, scratch: ScratchPackage
  ) {
    var files: [String: String] = [:]
    for module in modules {
      for (file, one) in module.files {
        files[file] = Self.fingerprint(one.source.text)
      }
    }
    self.files = files
    var judging = Fingerprint()
    for word in [program.filter, program.selection] { judging.add(word: word) }
    let description = try? SwiftModuleBuild.description(ofPackage: scratch.path)
    for source in (description?.modules.values.flatMap(\.sources) ?? []).sorted() {
      let file = String(source.dropFirst(scratch.path.count + 1))
      guard files[file] == nil, !file.hasPrefix(".build/") else { continue }
      judging.add(word: (try? String(contentsOfFile: source, encoding: .utf8)) ?? "")
    }
    self.judging = judging.hexadecimal
  }

  /// The fingerprint of a text.
  static func fingerprint(_ text: String) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(text)
    return fingerprint.hexadecimal
  }

  func file(of mutant: Mutant) -> String { files[mutant.file] ?? "" }
  func key(of mutant: Mutant) -> String { "\(file(of: mutant))-\(judging)" }
}

/// Appends each result to the journal as soon as it is known, so that an interrupted run keeps it.
final class ResultWriter: Sendable {
  private struct State {
    var journal: MutationJournal
    var error: MutationError?
  }

  private let path: String
  private let keys: Keys
  private let descriptor: CInt
  private let state: Mutex<State>

  /// Opens the journal, with the earlier results that still hold.
  ///
  /// - Throws: ``MutationError`` if the file can't be written, or if another program wrote it.
  init(
    path: String, run: MutationJournal.Run, keys: Keys, isFresh: Bool, keeping mutants: [Mutant]
  ) throws(MutationError) {
    self.path = path
    self.keys = keys
    var text = MutationJournal.line(run)
    var journal = MutationJournal()
    journal.add(run)
    if !isFresh, FileManager.default.fileExists(atPath: path) {
      let old = try MutationJournal(contentsOf: [path])
      for mutant in mutants {
        guard let result = old.results[mutant.id], result.key == keys.key(of: mutant) else {
          continue
        }
        text += MutationJournal.line(result)
        journal.add(result)
      }
    }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw MutationError("can't write \(path): \(error)")
    }
    descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw MutationError("can't write \(path): \(String(cString: strerror(errno)))")
    }
    state = Mutex(State(journal: journal))
  }

  deinit { close(descriptor) }

  /// All results so far.
  var journal: MutationJournal { state.withLock(\.journal) }

  /// The first error of a write.
  var error: MutationError? { state.withLock(\.error) }

  /// Whether a mutant has a result already.
  func has(_ mutant: Mutant) -> Bool {
    state.withLock { $0.journal.results[mutant.id] != nil }
  }

  /// Adds a result.
  func write(_ mutant: Mutant, _ verdict: MutantVerdict) {
    let result = MutationJournal.Result(
      mutant: mutant, verdict: verdict, key: keys.key(of: mutant),
      fileKey: keys.file(of: mutant))
    write(MutationJournal.line(result)) { $0.add(result) }
  }

  private func write(_ line: String, _ add: (inout MutationJournal) -> Void) {
    state.withLock { state in
      add(&state.journal)
      if let code = writeAll(line, to: descriptor), state.error == nil {
        state.error = MutationError("can't write \(path): \(String(cString: strerror(code)))")
      }
    }
  }
}
