import CrashExploration
import Foundation
import Synchronization

/// A store that appends each change to a log: its length, a checksum, and all notes as JSON.
final class LogNoteStore: NoteStore {
  private struct State {
    var descriptor: Int32
    var notes: [String: String] = [:]
  }

  private let state: Mutex<State>
  private let hasChecksums: Bool

  /// - Parameters:
  ///   - hasChecksums: Whether a record is read only if its checksum is right. Without it a torn
  ///     record passes for a whole one.
  ///   - truncates: Whether what a crash left after the last whole record is removed. Without it
  ///     the next record is appended where nobody finds it.
  init(in folder: URL, hasChecksums: Bool, truncates: Bool) throws {
    self.hasChecksums = hasChecksums
    let path = folder.appendingPathComponent("notes.log").path
    let isNew = !FileManager.default.fileExists(atPath: path)
    let data = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
    var state = State(descriptor: descriptor)
    var end = 0
    while let record = Self.record(of: data, at: end, hasChecksums: hasChecksums) {
      state.notes = record.notes
      end = record.end
    }
    if truncates, end < data.count { ftruncate(descriptor, off_t(end)) }
    if isNew {
      let folder = open(folder.path, O_RDONLY | O_CLOEXEC)
      defer { Foundation.close(folder) }
      guard fsync(folder) == 0 else { throw StoreError(code: errno) }
    }
    self.state = Mutex(state)
  }

  func close() { state.withLock { _ = Foundation.close($0.descriptor) } }

  func notes() -> [String: String] { state.withLock { $0.notes } }

  func change(_ body: (inout [String: String]) -> Void) throws {
    try state.withLock { state in
      let before = state.notes
      body(&state.notes)
      guard state.notes != before else { return }
      let text = state.notes.map { "\($0)=\($1)\n" }.sorted().joined()
      let content = [UInt8](text.utf8)
      let record = Self.number(content.count) + Self.number(Self.checksum(content)) + content
      guard Foundation.write(state.descriptor, record, record.count) == record.count,
        fdatasync(state.descriptor) == 0
      else { throw StoreError(code: errno) }
    }
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func checksum(_ bytes: [UInt8]) -> Int {
    bytes.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xffff_ffff }
  }

  private static func record(
    of data: [UInt8], at start: Int, hasChecksums: Bool
  ) -> (notes: [String: String], end: Int)? {
    guard start + 16 <= data.count else { return nil }
    func number(at index: Int) -> Int {
      (0..<8).reduce(0) { $0 | Int(data[index + $1]) << ($1 * 8) }
    }
    let count = number(at: start)
    guard count >= 0, count <= data.count - start - 16 else { return nil }
    let content = Array(data[start + 16..<start + 16 + count])
    if hasChecksums, number(at: start + 8) != checksum(content) { return nil }
    var notes: [String: String] = [:]
    for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { notes[String(parts[0])] = String(parts[1]) }
    }
    return (notes, start + 16 + count)
  }
}
