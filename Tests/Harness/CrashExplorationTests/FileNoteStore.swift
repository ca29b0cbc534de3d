import CrashExploration
import Foundation
import Synchronization

/// A store that keeps its notes in one JSON file, and how it saves them.
///
/// One way is right; the others are the mistakes of real stores.
final class FileNoteStore: NoteStore {
  enum Way: String, CaseIterable, Sendable {
    /// Writes a new file, synchronizes it, renames it over the old one, and synchronizes the
    /// folder.
    case right
    /// Synchronizes the folder only at a flush.
    case withoutFolder
    /// Synchronizes nothing.
    case withoutSync
    /// Creates the new file only if there is none, so that one which a crash left prevents every
    /// change.
    case exclusive
    /// Renames the new file before it synchronizes it.
    case renameFirst
    /// Overwrites the file.
    case inPlace
    /// Removes the old file before it renames the new one.
    case unlinkFirst
    /// Writes what the previous command changed: a command returns before it is saved.
    case late
    /// Renames a note by saving twice.
    case twice
    /// Foundation's atomic write.
    case foundation
    /// Overwrites the file, and reads it with a trap.
    case trapping
    /// Overwrites the file, and never returns if it can't read it.
    case hanging
    /// Writes a journal, overwrites the file, and removes the journal. Reopening goes on from there.
    case journal
    /// The same, but reopening removes the journal before it overwrites the file.
    case hastyRecovery
    /// Writes by stdio, which the recorder can't see.
    case stdio
    /// Overwrites the file through a shared mapping.
    case mapping
  }

  private let folder: String
  private let way: Way
  private let state: Mutex<[String: String]>

  private var file: String { folder + "/notes.json" }

  init(in folder: URL, _ way: Way) throws {
    self.folder = folder.path
    self.way = way
    var notes: [String: String] = [:]
    if let notes = try Self.recover(in: folder.path, isHasty: way == .hastyRecovery) {
      state = Mutex(notes)
      return
    }
    if let data = FileManager.default.contents(atPath: folder.path + "/notes.json") {
      do {
        notes = try JSONDecoder().decode([String: String].self, from: data)
      } catch {
        if way == .trapping { fatalError("damaged notes") }
        while way == .hanging { sleep(1) }
        throw error
      }
    }
    state = Mutex(notes)
  }

  func notes() -> [String: String] { state.withLock(\.self) }

  func change(_ body: (inout [String: String]) -> Void) throws {
    try state.withLock { notes in
      let before = notes
      body(&notes)
      guard notes != before else { return }
      try save(way == .late ? before : notes)
    }
  }

  func rename(_ name: String, to other: String) throws {
    guard way == .twice else {
      return try change { notes in
        if let text = notes.removeValue(forKey: name) { notes[other] = text }
      }
    }
    guard let text = notes()[name] else { return }
    try change { $0[name] = nil }
    try change { $0[other] = text }
  }

  func flush() throws {
    switch way {
    case .late: try save(notes())
    case .withoutFolder: try synchronizeFolder()
    default: break
    }
  }

  private func save(_ notes: [String: String]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(notes)
    let new = file + ".new"
    switch way {
    case .journal, .hastyRecovery:
      try write(data, to: file + ".journal", synchronizes: true)
      try synchronizeFolder()
      try write(data, to: file, synchronizes: true)
      try synchronizeFolder()
      unlink(file + ".journal")
      try synchronizeFolder()
    case .right, .late, .twice:
      try write(data, to: new, synchronizes: true)
      try check(Foundation.rename(new, file))
      try synchronizeFolder()
    case .exclusive:
      try write(data, to: new, flags: O_CREAT | O_EXCL, synchronizes: true)
      try check(Foundation.rename(new, file))
      try synchronizeFolder()
    case .withoutFolder:
      try write(data, to: new, synchronizes: true)
      try check(Foundation.rename(new, file))
    case .withoutSync:
      try write(data, to: new, synchronizes: false)
      try check(Foundation.rename(new, file))
    case .renameFirst:
      try write(data, to: new, synchronizes: false)
      try check(Foundation.rename(new, file))
      try write(Data(), to: file, flags: 0, synchronizes: true)
      try synchronizeFolder()
    case .inPlace, .trapping, .hanging:
      try write(data, to: file, synchronizes: true)
      try synchronizeFolder()
    case .unlinkFirst:
      try write(data, to: new, synchronizes: true)
      unlink(file)
      try check(Foundation.rename(new, file))
      try synchronizeFolder()
    case .foundation: try data.write(to: URL(fileURLWithPath: file), options: .atomic)
    case .stdio:
      guard let stream = fopen(file, "w") else { throw StoreError(code: errno) }
      _ = data.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) }
      fclose(stream)
    case .mapping: try map(data)
    }
  }

  /// Reads the journal that a crash left, and goes on with it. A journal that is not whole is removed, since
  /// the file has not been touched.
  private static func recover(in folder: String, isHasty: Bool) throws -> [String: String]? {
    let file = folder + "/notes.json"
    guard let data = FileManager.default.contents(atPath: file + ".journal") else { return nil }
    let notes = try? JSONDecoder().decode([String: String].self, from: data)
    if isHasty || notes == nil { try remove(file + ".journal", from: folder) }
    guard let notes else { return nil }
    try write(data, to: file, synchronizes: true)
    try synchronize(folder)
    if !isHasty { try remove(file + ".journal", from: folder) }
    return notes
  }

  private static func remove(_ path: String, from folder: String) throws {
    unlink(path)
    try synchronize(folder)
  }

  private static func write(
    _ data: Data, to path: String, flags: Int32 = O_CREAT | O_TRUNC, synchronizes: Bool
  ) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    try check(descriptor)
    defer { close(descriptor) }
    let count = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    guard count == data.count else { throw StoreError(code: errno) }
    if synchronizes { try check(fsync(descriptor)) }
  }

  private func write(
    _ data: Data, to path: String, flags: Int32 = O_CREAT | O_TRUNC, synchronizes: Bool
  ) throws {
    try Self.write(data, to: path, flags: flags, synchronizes: synchronizes)
  }

  private func synchronizeFolder() throws { try Self.synchronize(folder) }

  private static func synchronize(_ folder: String) throws {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    try check(descriptor)
    defer { close(descriptor) }
    try check(fsync(descriptor))
  }

  private func map(_ data: Data) throws {
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try check(descriptor)
    defer { close(descriptor) }
    try check(ftruncate(descriptor, off_t(data.count)))
    let memory = mmap(nil, data.count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { throw StoreError(code: errno) }
    data.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    munmap(memory, data.count)
  }

  private func check(_ code: Int32) throws { try Self.check(code) }

  private static func check(_ code: Int32) throws {
    if code < 0 { throw StoreError(code: errno) }
  }
}

struct StoreError: Error { var code: Int32 }

extension Reopenable where Subject == any NoteStore {
  static func file(_ way: FileNoteStore.Way) -> Self {
    Reopenable { folder, _ in try FileNoteStore(in: folder, way) }
  }

  static func log(hasChecksums: Bool = true, truncates: Bool = true) -> Self {
    Reopenable { folder, scope in
      let store = try LogNoteStore(
        in: folder, hasChecksums: hasChecksums, truncates: truncates)
      scope.onTearDown { store.close() }
      return store
    }
  }
}
