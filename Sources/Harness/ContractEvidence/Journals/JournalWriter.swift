import Foundation
import SystemLocks

/// Appends records to a journal, each with one `write(2)`, so that a crash loses none before it.
public final class JournalWriter: Sendable {
  /// The journal's file.
  public let path: String

  private let descriptor: Mutex<CInt>

  /// Creates the journal, with the folders above it, or opens it for appending.
  ///
  /// - Parameter path: The file's path.
  /// - Throws: ``JournalFileError`` when the file can't be opened.
  public init(path: String) throws(JournalFileError) {
    self.path = path
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty {
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    let fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard fd >= 0 else {
      throw JournalFileError(path: path, action: "open the journal", code: errno)
    }
    descriptor = Mutex(fd)
  }

  /// Points `latest.jsonl` in a folder at one of its journals, in one step.
  package static func makeLatest(_ name: String, in folder: String) {
    let temporary = "\(folder)/.latest-\(name)"
    symlink(name, temporary)
    if rename(temporary, "\(folder)/latest.jsonl") != 0 { unlink(temporary) }
  }

  deinit { descriptor.withLock { _ = close($0) } }

  /// Appends one record; it is in the file when the call returns.
  ///
  /// - Parameter record: The record.
  /// - Throws: ``JournalFileError`` when the line could not be written whole.
  public func append(_ record: JournalRecord) throws(JournalFileError) {
    var line = record.line
    line.append("\n")
    let code = descriptor.withLock { [line] in writeAll(line, to: $0) }
    if let code { throw JournalFileError(path: path, action: "append to the journal", code: code) }
  }
}

/// A journal, or another file of the tool, that can't be used.
public struct JournalFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  public var path: String
  /// What was tried, as 'read the journal'.
  public var action: String
  /// The system's error number (errno(3)).
  public var code: Int32

  /// Describes a failed action on a file.
  public init(path: String, action: String, code: Int32) {
    self.path = path
    self.action = action
    self.code = code
  }

  public var description: String {
    "can't \(action) \(path): \(String(cString: strerror(code)))"
  }
}
