import ContractEvidence
import Foundation

/// Writes text to standard output or to a file.
package enum Output {
  /// How reports are printed on standard output.
  package static var settings: TerminalSettings { TerminalSettings(descriptor: STDOUT_FILENO) }

  /// Writes text to standard output.
  ///
  /// - Throws: ``JournalFileError`` if not all of it could be written, for example to a full disk.
  package static func print(_ text: String) throws(JournalFileError) {
    try write(text, to: STDOUT_FILENO, named: "standard output")
  }

  /// Creates or replaces a file atomically. A device, a named pipe or a symbolic link is written
  /// through instead, because replacing it would remove it.
  ///
  /// - Throws: ``JournalFileError`` if the file can't be written. A regular file is then unchanged.
  package static func put(_ text: String, into path: String) throws(JournalFileError) {
    var status = stat()
    let isNew = lstat(path, &status) != 0
    guard isNew || status.st_mode & S_IFMT == S_IFREG else {
      return try create(path, text, flags: O_WRONLY | O_TRUNC)
    }
    let temporary = "\(path).\(getpid())"
    try create(temporary, text, flags: O_WRONLY | O_CREAT | O_EXCL, as: path)
    if rename(temporary, path) != 0 {
      let code = errno
      unlink(temporary)
      throw JournalFileError(path: path, action: "write", code: code)
    }
  }

  private static func create(
    _ path: String, _ text: String, flags: CInt, as name: String? = nil
  ) throws(JournalFileError) {
    let descriptor = open(path, flags | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw JournalFileError(path: name ?? path, action: "write", code: errno)
    }
    defer { close(descriptor) }
    do throws(JournalFileError) {
      try write(text, to: descriptor, named: name ?? path)
    } catch {
      if name != nil { unlink(path) }
      throw error
    }
  }

  private static func write(
    _ text: String, to descriptor: CInt, named name: String
  ) throws(JournalFileError) {
    if let code = writeAll(text, to: descriptor) {
      throw JournalFileError(path: name, action: "write", code: code)
    }
  }
}
