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
          damage.append(Damage(path: path, line: number, reason: error.reason))
        }
      }
    }
  }

  /// Reads a journal from a file.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` when the file can't be read.
  public init(contentsOf path: String) throws(JournalFileError) {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw JournalFileError(path: path, action: "read", code: errno)
    }
    self.init(utf8: data, path: path)
  }
}
