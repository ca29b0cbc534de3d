import Foundation

/// What journals say: the records that could be read, and the lines that could not.
public struct Journal: Hashable, Sendable {
  /// The records, in the order of the files.
  public var records: [JournalRecord]

  /// The lines that are not records.
  public var damage: [Damage]

  /// A line that is not a record.
  public struct Damage: Hashable, Sendable {
    /// The file, or `nil` for text from elsewhere.
    public var path: String?
    /// The line, counted from 1.
    public var line: Int
    /// What is wrong with it.
    public var reason: String
  }

  /// A journal of records that are at hand.
  public init(records: [JournalRecord] = [], damage: [Damage] = []) {
    self.records = records
    self.damage = damage
  }

  /// Reads a journal's text; lines that are not records are kept as damage, never skipped.
  ///
  /// - Parameters:
  ///   - text: Lines of JSON; an empty line means nothing.
  ///   - path: The file that the text came from.
  public init(text: String, path: String? = nil) {
    self.init(utf8: Data(text.utf8), path: path)
  }

  private init(utf8 data: Data, path: String?) {
    self.init()
    data.withUnsafeBytes { bytes in
      var number = 0
      var rest = bytes
      while let base = rest.baseAddress, !rest.isEmpty {
        let length = memchr(base, 0x0a, rest.count).map { UnsafeRawPointer($0) - base }
        let line = UnsafeRawBufferPointer(rebasing: rest[..<(length ?? rest.count)])
        rest = UnsafeRawBufferPointer(rebasing: rest[min(line.count + 1, rest.count)...])
        number += 1
        if line.isEmpty { continue }
        do throws(JournalLineError) {
          records.append(try JournalRecord(utf8: line))
        } catch {
          readDamaged(line, number: number, path: path, reason: error.reason)
        }
      }
    }
  }

  /// Reads what is left of a line that is no record by itself.
  ///
  /// A journal that was cut in the middle of a line and then appended to, by a run or by
  /// concatenation, has a whole record after the stump.
  private mutating func readDamaged(
    _ line: UnsafeRawBufferPointer, number: Int, path: String?, reason: String
  ) {
    var stump = line
    var tail: JournalRecord?
    if let start = line.lastOffset(of: JournalRecord.beginning), start > 0 {
      tail = try? JournalRecord(utf8: UnsafeRawBufferPointer(rebasing: line[start...]))
      if tail != nil { stump = UnsafeRawBufferPointer(rebasing: line[..<start]) }
    }
    if tail != nil, let whole = try? JournalRecord(utf8: stump) {
      records.append(whole)
    } else {
      damage.append(Damage(path: path, line: number, reason: reason))
    }
    if let tail { records.append(tail) }
  }

  /// Reads a journal from a file, a pipe included.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` when the file can't be read.
  public init(contentsOf path: String) throws(JournalFileError) {
    self.init(utf8: try Data(readingAll: path, action: "read the journal"), path: path)
  }

  /// Reads a journal from an open file to its end.
  ///
  /// - Parameters:
  ///   - descriptor: The open file, which stays open.
  ///   - path: Its name in messages.
  /// - Throws: ``JournalFileError`` when the file can't be read.
  public init(descriptor: CInt, path: String) throws(JournalFileError) {
    self.init(
      utf8: try Data(readingAll: descriptor, name: path, action: "read the journal"), path: path)
  }
}

extension UnsafeRawBufferPointer {
  /// Where `text` begins for the last time.
  fileprivate func lastOffset(of text: StaticString) -> Int? {
    guard let base = baseAddress else { return nil }
    var last: Int?
    var next = 0
    while let found = memchr(base + next, CInt(text.utf8Start.pointee), count - next) {
      let offset = UnsafeRawPointer(found) - base
      next = offset + 1
      guard count - offset >= text.utf8CodeUnitCount else { break }
      if memcmp(found, text.utf8Start, text.utf8CodeUnitCount) == 0 { last = offset }
    }
    return last
  }
}
