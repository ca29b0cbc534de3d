import CFileRecorder

/// One call that changed or synchronized files of the recorded folder, or a mark.
///
/// Paths are relative to the folder, which itself is the empty path.
struct FileEvent: Sendable {
  var kind: FileEventKind
  /// The name of the system call.
  var call: String
  /// Identifies the file.
  var file: UInt64
  /// The offset, the size or the mark's number.
  var offset: Int
  var path: String
  /// The second path, or what is unknown.
  var other: String
  var bytes: [UInt8]

  /// Reads the events of a recording.
  static func events(_ recording: UnsafeRawBufferPointer) -> [FileEvent] {
    var events: [FileEvent] = []
    var position = 0
    func take(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
      defer { position += count }
      return recording[position..<position + count]
    }
    while position < recording.count {
      let header = recording.loadUnaligned(fromByteOffset: position, as: FileEventHeader.self)
      position += MemoryLayout<FileEventHeader>.size
      let path = String(decoding: take(Int(header.path_length)), as: UTF8.self)
      let other = String(decoding: take(Int(header.other_length)), as: UTF8.self)
      let bytes = Array(take(Int(header.byte_count)))
      position = (position + 7) & ~7
      events.append(
        FileEvent(
          kind: header.kind, call: String(cString: file_event_call_name(header.call)),
          file: header.file, offset: Int(header.offset), path: path, other: other, bytes: bytes))
    }
    return events
  }
}

extension FileEvent: CustomStringConvertible {
  /// The call with its arguments: `pwrite of 512 bytes at 1024 to notes.db`.
  var description: String {
    let name = path.isEmpty ? "the folder" : path
    return switch kind {
    case .create: "\(call) of the new file \(path.isEmpty ? "without a name" : path)"
    case .write: "\(call) of \(bytes.count) bytes at \(offset) to \(name)"
    case .resize: "\(call) of \(name) to \(offset) bytes"
    case .sync: "\(call) of \(name)"
    case .syncFolder: path.isEmpty ? "\(call) of the folder" : "\(call) of the folder \(path)"
    case .syncAll: call
    case .rename: "\(call) of \(path) to \(other)"
    case .exchange: "exchange of \(path) and \(other)"
    case .unlink, .makeFolder, .removeFolder: "\(call) of \(name)"
    case .link: "\(call) of a file as \(path)"
    case .symlink: "\(call) of \(path), which leads to \(other)"
    case .map: "shared mapping of \(name)"
    case .unknown: "\(call) of \(name): \(other)"
    case .mark: "mark \(offset)"
    }
  }
}
