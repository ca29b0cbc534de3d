import CrashExploration
import Foundation
import Synchronization
import Testing

/// A way to keep notes in the files of a folder, as an author would write it.
struct Habit: Sendable {
  /// Whether it keeps what it promises, a power loss included.
  enum Verdict: Sendable {
    case right
    case wrong
    /// It writes in a way that can't be recorded.
    case refused
  }

  typealias Notes = [String: String]

  let name: String
  let verdict: Verdict
  /// Reads the notes when the store is opened; it may repair what a crash left.
  let load: @Sendable (Disk) throws -> Notes
  let save: @Sendable (Disk, _ old: Notes, _ new: Notes) throws -> Void
  /// What a flush does.
  var flush: @Sendable (Disk, Notes) throws -> Void = { _, _ in }
  /// Whether a note gets another name by two changes.
  var renamesTwice = false

  init(
    _ name: String, _ verdict: Verdict,
    load: @escaping @Sendable (Disk) throws -> Notes,
    save: @escaping @Sendable (Disk, _ old: Notes, _ new: Notes) throws -> Void
  ) {
    (self.name, self.verdict, self.load, self.save) = (name, verdict, load, save)
  }

  /// A store with the habit in any folder.
  var reopenable: Reopenable<any NoteStore> {
    Reopenable { folder, _ in try FileNoteStore(in: folder, self) }
  }

  /// The right or wrong habit with a name.
  static func named(_ name: String) throws -> Habit {
    try #require((right + wrong).first { $0.name == name })
  }
}

extension Habit: CustomTestStringConvertible {
  var testDescription: String { name }
}

/// A store that saves its notes by habit.
final class FileNoteStore: NoteStore {
  private let habit: Habit
  private let disk: Disk
  private let state: Mutex<Habit.Notes>

  init(in folder: URL, _ habit: Habit) throws {
    (self.habit, disk) = (habit, Disk(folder.path))
    state = Mutex(try habit.load(disk))
  }

  func notes() -> Habit.Notes { state.withLock(\.self) }

  func change(_ body: (inout Habit.Notes) -> Void) throws {
    try state.withLock { notes in
      var new = notes
      body(&new)
      guard new != notes else { return }
      try habit.save(disk, notes, new)
      notes = new
    }
  }

  func rename(_ name: String, to other: String) throws {
    guard let text = notes()[name], name != other else { return }
    if habit.renamesTwice {
      try change { $0[other] = text }
      try change { $0[name] = nil }
    } else {
      try change { notes in
        notes[name] = nil
        notes[other] = text
      }
    }
  }

  func flush() throws { try habit.flush(disk, notes()) }
}

struct StoreError: Error { var code: Int32 }

/// The files of a store's folder, by name.
struct Disk: Sendable {
  let folder: String

  init(_ folder: String) { self.folder = folder }

  func path(_ name: String) -> String { name.isEmpty ? folder : folder + "/" + name }

  func has(_ name: String) -> Bool { access(path(name), F_OK) == 0 }

  /// The names in the folder, sorted.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path(name)).map { [UInt8]($0) }
  }

  /// Opens a file, calls a closure with its descriptor and closes it.
  func with<Value>(
    _ name: String, _ flags: Int32 = O_RDWR | O_CREAT, _ body: (Int32) throws -> Value
  ) throws -> Value {
    let file = open(path(name), flags | O_CLOEXEC, 0o600)
    try Self.check(file)
    defer { close(file) }
    return try body(file)
  }

  /// Replaces a file's content, and synchronizes it.
  func write(
    _ bytes: [UInt8], to name: String, flags: Int32 = O_TRUNC, synchronizes: Bool = true
  ) throws {
    try with(name, O_WRONLY | O_CREAT | flags) { file in
      try Self.check(Int32(Foundation.write(file, bytes, bytes.count)))
      if synchronizes { try Self.check(fsync(file)) }
    }
  }

  func append(_ bytes: [UInt8], to name: String, synchronizes: Bool = true) throws {
    try write(bytes, to: name, flags: O_APPEND, synchronizes: synchronizes)
  }

  /// Overwrites bytes of a file, and synchronizes them.
  func write(
    _ bytes: [UInt8], to name: String, at offset: Int, synchronizes: Bool = true
  ) throws {
    try with(name) { file in
      try Self.check(Int32(pwrite(file, bytes, bytes.count, off_t(offset))))
      if synchronizes { try Self.check(fdatasync(file)) }
    }
  }

  func rename(_ name: String, to other: String) throws {
    try Self.check(Foundation.rename(path(name), path(other)))
  }

  func remove(_ name: String) { unlink(path(name)) }

  /// Synchronizes the names in a folder.
  func synchronize(_ name: String = "") throws {
    try with(name, O_RDONLY) { try Self.check(fsync($0)) }
  }

  static func check(_ result: Int32) throws {
    if result < 0 { throw StoreError(code: errno) }
  }
}

// MARK: - Formats

/// Notes as bytes.
enum Format {
  static func json(_ notes: Habit.Notes) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(notes)).map { [UInt8]($0) } ?? []
  }

  static func notes(_ json: [UInt8]?) throws -> Habit.Notes {
    guard let json else { return [:] }
    return try JSONDecoder().decode(Habit.Notes.self, from: Data(json))
  }

  static func number(_ value: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func number(_ bytes: some Collection<UInt8>) -> Int {
    bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func checksum(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(14_695_981) { ($0 ^ Int($1)) &* 1_099_511 & 0xFFFF_FFFF_FFFF }
  }

  /// A record: its length, a checksum, and the content.
  static func sealed(_ content: [UInt8]) -> [UInt8] {
    number(content.count) + number(checksum(number(content.count) + content)) + content
  }

  /// The whole records at the beginning of a log, and where they end.
  static func records(_ log: [UInt8], checks: Bool = true) -> (all: [[UInt8]], end: Int) {
    var all: [[UInt8]] = []
    var end = 0
    while log.count - end >= 16 {
      let count = number(log[end...])
      guard count > 0, count <= log.count - end - 16 else { break }
      let content = Array(log[(end + 16)..<(end + 16 + count)])
      let sum = number(log[(end + 8)...])
      guard !checks || sum == checksum(number(count) + content) else { break }
      all.append(content)
      end += 16 + count
    }
    return (all, end)
  }

  /// The content of a file that is one record.
  static func unsealed(_ bytes: [UInt8]?) -> [UInt8]? { bytes.flatMap { records($0).all.first } }

  /// What changed: JSON of the new values, and `null` for notes that are gone.
  static func changes(from old: Habit.Notes, to new: Habit.Notes) -> [UInt8] {
    var changes: [String: String?] = [:]
    for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
      changes.updateValue(new[name], forKey: name)
    }
    return (try? JSONEncoder().encode(changes)).map { [UInt8]($0) } ?? []
  }

  /// The notes after changes.
  static func notes(after changes: [[UInt8]]) throws -> Habit.Notes {
    var notes: Habit.Notes = [:]
    for change in changes {
      for (name, text) in try JSONDecoder().decode([String: String?].self, from: Data(change)) {
        notes[name] = text
      }
    }
    return notes
  }
}
