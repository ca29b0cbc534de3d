import Foundation
import SystemLocks

/// Appends records to a journal, each with one `write(2)`, so that a crash loses no earlier record.
package final class JournalWriter: Sendable {
  /// The journal's path.
  package let path: String

  private let descriptor: Mutex<CInt>

  /// Opens a journal for appending; creates the file and its folders if needed.
  ///
  /// - Parameter path: The journal's path.
  /// - Throws: ``JournalFileError`` if the file can't be opened.
  package init(path: String) throws(JournalFileError) {
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

  deinit { descriptor.withLock { _ = close($0) } }

  /// The open file, for a signal handler, which must not wait for a lock.
  package var fileDescriptor: CInt { descriptor.withLock(\.self) }

  /// Makes `latest.jsonl` a symbolic link to another journal in the same folder, atomically.
  package static func makeLatest(_ name: String, in folder: String) {
    let temporary = "\(folder)/.latest-\(name)"
    symlink(name, temporary)
    if rename(temporary, "\(folder)/latest.jsonl") != 0 { unlink(temporary) }
  }

  /// The id of a run that starts now: the time in UTC, so that ids sort by time, and a random part,
  /// so that they are unique across machines.
  package static func runID(at time: Date) -> String {
    var seconds = time_t(time.timeIntervalSince1970)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
    let clock = "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    let random = String(UInt32.random(in: .min ... .max), radix: 36)
    return "\(day)T\(clock)Z-\(random)"
  }

  /// Removes the journals and logs of runs that began more than 30 days ago, and of all but the
  /// latest 100. Files whose names don't begin with the time of a run stay.
  ///
  /// - Returns: A sentence about what was removed, or `nil` if nothing was.
  package static func prune(_ folder: String, at time: Date) -> String? {
    let oldest = runID(at: time.addingTimeInterval(-30 * 86_400)).prefix(16)
    var files: [String: [String]] = [:]
    for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let parts = file.split(separator: ".", omittingEmptySubsequences: false)
      let form = parts[0].prefix(17).map { $0.isWholeNumber ? "0" : $0 }
      guard parts.count == 2, parts[1] == "jsonl" || parts[1] == "log",
        String(form) == "00000000T000000Z-"
      else { continue }
      files[String(parts[0]), default: []].append(file)
    }
    let runs = files.keys.sorted()
    let removed = runs.enumerated().filter { index, run in
      (index < runs.count - 100 || run.prefix(16) < oldest)
        && files[run, default: []].allSatisfy { unlink("\(folder)/\($0)") == 0 }
    }.count
    return removed == 0
      ? nil
      : "removed the journals of \(removed) run\(removed == 1 ? "" : "s") from \(folder): they are "
        + "older than 30 days or not among the latest 100"
  }

  /// Appends one record. The file contains it when the method returns.
  ///
  /// - Throws: ``JournalFileError`` if the line could not be written completely.
  package func append(_ record: JournalRecord) throws(JournalFileError) {
    let line = record.line + "\n"
    let code = descriptor.withLock { writeAll(line, to: $0) }
    if let code { throw JournalFileError(path: path, action: "append to the journal", code: code) }
  }
}

/// Writes a whole string to an open file, with as many calls of write(2) as that takes.
///
/// - Returns: The system's error number if writing failed, or `nil`.
package func writeAll(_ text: String, to descriptor: CInt) -> CInt? {
  var text = text
  return text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = write(descriptor, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return nil
  }
}
