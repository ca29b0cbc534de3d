import CFileRecorder
import Dispatch
import Foundation

/// Records what this process does to the files of a folder. One recording runs at a time.
enum FileRecorder {
  /// Why files can't be recorded here, or `nil` if they can.
  ///
  /// The calls of a shared library must reach the recorder, so Foundation is asked to write a file.
  static let unavailability: String? = {
    guard file_recorder_is_supported() else {
      return "crash points need Linux with glibc, in a build without sanitizers"
    }
    do {
      let folder = try WorkingFolder()
      defer { folder.remove() }
      let events = try recording(folder.path) {
        try Data("probe".utf8).write(to: URL(fileURLWithPath: folder.path + "/probe"))
      }
      guard events.contains(where: { $0.kind == .write }) else {
        return
          "the calls of shared libraries don't reach the recorder of crash points: the program "
          + "does not export its symbols; link it as SwiftPM does"
      }
      return nil
    } catch {
      return "crash points can't be recorded: \(error)"
    }
  }()

  /// Recordings wait for each other, each on a thread that may block.
  private static let turn = DispatchSemaphore(value: 1)

  /// Records while a closure runs.
  ///
  /// - Parameter folder: An absolute path without symbolic links.
  static func recording(_ folder: String, _ body: () throws -> Void) throws -> [FileEvent] {
    turn.wait()
    defer { turn.signal() }
    let code = file_recorder_start(folder)
    guard code == 0 else {
      throw CrashExplorationError(
        .unsupportedCall, "can't record \(folder): \(String(cString: strerror(code)))")
    }
    let result = Result { try body() }
    var count = 0
    let bytes = file_recorder_stop(&count)
    try result.get()
    guard let bytes else {
      throw CrashExplorationError(
        .incompleteRecording, "the recording does not fit into memory; use fewer commands")
    }
    return FileEvent.events(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  /// Adds a mark to the recording.
  static func mark(_ number: Int) { file_recorder_mark(Int64(number)) }
}

/// A temporary folder without symbolic links in its path, in which synchronization is skipped.
struct WorkingFolder {
  let path: String

  /// The beginning of the paths of all working folders of this process.
  private static let prefix: String = {
    let temporary = FileManager.default.temporaryDirectory.path
    let real = realpath(temporary, nil)
    defer { free(real) }
    let prefix =
      (real.map { String(cString: $0) } ?? temporary)
      + "/contract-crashes-\(ProcessInfo.processInfo.processIdentifier)-"
    file_recorder_skip_sync(prefix)
    return prefix
  }()

  init() throws {
    path = Self.prefix + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Creates an empty folder in this one.
  func subfolder(_ name: String) throws -> String {
    let folder = path + "/" + name
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    return folder
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
