import Foundation

/// The contents of one or several journals: the records, and the lines that are damaged.
public struct Journal: Equatable, Sendable {
  /// The records, in the order of the files.
  public var records: [JournalRecord]

  /// The lines that are not records.
  public var damage: [Damage]

  /// A line that is not a record.
  public struct Damage: Equatable, Sendable {
    /// The file's path, or `nil` for text that was passed in.
    public var path: String?
    /// The line's number, from 1.
    public var line: Int
    /// Why the line is not a record.
    public var reason: String
    /// The runs of the records before and after the line, one of which it belongs to.
    package var runs: Set<String> = []
  }

  /// Creates a journal from records.
  public init(records: [JournalRecord] = [], damage: [Damage] = []) {
    self.records = records
    self.damage = damage
  }

  /// Parses a journal's text. Lines that are not records go into ``damage``.
  ///
  /// - Parameters:
  ///   - text: Lines of JSON. Empty lines are ignored.
  ///   - path: The path that ``Damage`` names.
  public init(text: String, path: String? = nil) {
    self.init(utf8: Data(text.utf8), path: path)
  }

  /// Reads a journal from a file or a named pipe.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` if the file can't be read.
  public init(contentsOf path: String) throws(JournalFileError) {
    self.init(utf8: try Data(readingAll: path, action: "read the journal"), path: path)
  }

  /// Reads a journal from an open file to its end, and leaves the file open.
  ///
  /// - Parameters:
  ///   - descriptor: The open file.
  ///   - path: The file's name in messages.
  /// - Throws: ``JournalFileError`` if the file can't be read.
  package init(descriptor: CInt, path: String) throws(JournalFileError) {
    self.init(
      utf8: try Data(readingAll: descriptor, name: path, action: "read the journal"), path: path)
  }

  private init(utf8 data: Data, path: String?) {
    self.init()
    data.withUnsafeBytes { bytes in
      var number = 0
      // The number of damaged lines that a record follows.
      var enclosed = 0
      var rest = bytes
      // memchr(3) and not `split`, which takes many times as long in a debug build.
      while let base = rest.baseAddress, !rest.isEmpty {
        let length = memchr(base, 0x0a, rest.count).map { UnsafeRawPointer($0) - base }
        let line = Data(UnsafeRawBufferPointer(rebasing: rest[..<(length ?? rest.count)]))
        rest = UnsafeRawBufferPointer(rebasing: rest[min(line.count + 1, rest.count)...])
        number += 1
        if line.isEmpty { continue }
        do throws(JournalLineError) {
          records.append(try JournalRecord(json: line))
        } catch {
          appendDamaged(line, number: number, path: path, reason: error.reason)
          continue
        }
        guard enclosed < damage.count, let run = records.last?.run else { continue }
        for index in enclosed..<damage.count { damage[index].runs.insert(run) }
        enclosed = damage.count
      }
    }
  }

  /// Adds a line that is not a single record, and the record at its end if there is one.
  ///
  /// If a process is killed while it writes, its last line has no newline, and the next run or `cat`
  /// appends a complete record to the same line.
  private mutating func appendDamaged(_ line: Data, number: Int, path: String?, reason: String) {
    var head = line
    var tail: JournalRecord?
    let start = JournalRecord.beginnings.compactMap {
      line.range(of: Data("\($0)".utf8), options: .backwards)?.lowerBound
    }.max()
    if let start, start > 0 {
      tail = try? JournalRecord(json: line[start...])
      if tail != nil { head = line[..<start] }
    }
    if tail != nil, let record = try? JournalRecord(json: head) {
      records.append(record)
    } else {
      let runs = [records.last?.run, tail?.run].compactMap(\.self)
      damage.append(Damage(path: path, line: number, reason: reason, runs: Set(runs)))
    }
    if let tail { records.append(tail) }
  }
}

/// A journal, or another file of the command-line tool, can't be read or written.
public struct JournalFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  public var path: String
  /// What was attempted, such as 'read the journal'.
  public var action: String
  /// The system's error number (errno(3)).
  public var code: Int32
  /// What to do about it, as a clause, or `nil`.
  package var remedy: String?

  package init(path: String, action: String, code: Int32) {
    self.path = path
    self.action = action
    self.code = code
  }

  public var description: String {
    "can't \(action) \(path): \(String(cString: strerror(code)))" + (remedy.map { "; \($0)" } ?? "")
  }
}

extension Data {
  /// Reads a file or a named pipe to its end.
  ///
  /// `Data(contentsOf:)` does not report the system's error number for every failure.
  /// - Parameters:
  ///   - path: The file's path.
  ///   - action: What the file is read for, for the error.
  package init(readingAll path: String, action: String) throws(JournalFileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw JournalFileError(path: path, action: action, code: errno) }
    defer { close(descriptor) }
    try self.init(readingAll: descriptor, name: path, action: action)
  }

  /// Reads an open file to its end.
  package init(
    readingAll descriptor: CInt, name: String, action: String
  ) throws(JournalFileError) {
    self.init()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return }
      if count > 0 {
        append(contentsOf: chunk[..<count])
      } else if errno != EINTR {
        throw JournalFileError(path: name, action: action, code: errno)
      }
    }
  }
}
