import Foundation

extension Data {
  /// Reads a file to its end, a pipe included.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - action: What it is read for, in messages: 'read the journal'.
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
