import Foundation

/// Recorded HTTP exchanges, in the format HAR 1.2 that browsers and proxies export.
///
/// Source: http://www.softwareishard.com/blog/har-12-spec.
public struct HTTPArchive: Sendable {
  /// Limits that keep a file from using up memory.
  ///
  /// Parts that a replay does not need are checked and skipped. There are three fixed limits: 10,000
  /// fields in a message, 100,000 members in an object, and 128 levels of nesting.
  public struct Limits: Sendable, Hashable {
    /// The maximum size of the file in bytes.
    public var bytes: Int
    /// The maximum number of entries.
    public var entries: Int

    /// Creates limits; the defaults are 64 MiB and 100,000 entries.
    public init(bytes: Int = 64 << 20, entries: Int = 100_000) {
      self.bytes = bytes
      self.entries = entries
    }
  }

  /// The exchanges, in the order in which they started.
  private(set) var entries: [Entry]

  /// What was redacted when the archive was recorded; empty for archives of other programs.
  public let redaction: Redaction

  /// Whether ``RecordingTransport`` made the archive; then its content is as the caller saw it,
  /// while other programs decode it.
  let isRecording: Bool

  /// The number of exchanges.
  public var count: Int { entries.count }

  /// Reads a file.
  ///
  /// - Throws: ``HTTPArchiveError``.
  public init(contentsOf path: String, limits: Limits = Limits()) throws(HTTPArchiveError) {
    try self.init(Self.contents(of: path, limit: limits.bytes), limits: limits)
  }

  /// Reads the bytes of a file.
  ///
  /// - Throws: ``HTTPArchiveError``.
  public init(_ bytes: [UInt8], limits: Limits = Limits()) throws(HTTPArchiveError) {
    guard bytes.count <= limits.bytes else {
      throw .tooLarge(bytes: bytes.count, limit: limits.bytes)
    }
    do {
      var reading = ArchiveReading(entryLimit: limits.entries)
      try JSONReader.read(bytes) { try reading.read(&$0) }
      redaction = reading.redaction ?? Redaction()
      isRecording = reading.redaction != nil
      entries = reading.entries
    } catch let error as HTTPArchiveError {
      throw error
    } catch let failure as JSONFailure {
      throw .malformed(failure.description)
    } catch {
      throw .malformed("\(error)")
    }
    sort()
  }

  /// Sorts by start, as the specification asks readers to; not if an entry has no date.
  private mutating func sort() {
    let dates = entries.compactMap(\.started)
    guard dates.count == entries.count, zip(dates, dates.dropFirst()).contains(where: >) else {
      return
    }
    entries = entries.enumerated()
      .sorted { ($0.element.started ?? 0, $0.offset) < ($1.element.started ?? 0, $1.offset) }
      .map(\.element)
  }

  static func contents(of path: String, limit: Int) throws(HTTPArchiveError) -> [UInt8] {
    do {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw HTTPArchiveError.unreadable(path: path, reason: "it is not a regular file")
      }
      if let size = attributes[.size] as? Int, size > limit {
        throw HTTPArchiveError.tooLarge(bytes: size, limit: limit)
      }
      guard let file = FileHandle(forReadingAtPath: path) else {
        throw HTTPArchiveError.unreadable(path: path, reason: "it cannot be opened")
      }
      // A file that grows meanwhile is still limited.
      let count = max(0, min(limit, Int.max - 1)) + 1
      let data = try file.read(upToCount: count) ?? Data()
      return Array(data)
    } catch let error as HTTPArchiveError {
      throw error
    } catch {
      throw .unreadable(path: path, reason: error.localizedDescription)
    }
  }
}
