import Foundation
import SystemLocks

/// A list of the canned answers that fakes gave in a test run, and of answers that the real thing gave.
///
/// `CONTRACT_STUBS` names the file; without it nothing is noted. `contracts stubs` reads the file and says
/// which canned answers nothing real backs. A fake that answers with what a test scripted notes it, with
/// the place of the script:
///
///     if let ledger = StubLedger.current {
///       ledger.note(CannedAnswer(port: "feedback", request: "loadForm 7", answer: "\(form)"), from: place)
///     }
///
/// What a fake answers by itself is no canned answer: the fake's contract is its evidence.
public final class StubLedger: Sendable {
  /// The file's path.
  public let path: String

  private let state = Mutex(State())

  private struct State {
    var file: FileHandle?
    /// The lines that are in the file, so that an answer that is given often is noted once.
    var written: Set<Line> = []
  }

  /// The version of the file's format.
  public static let formatVersion = 1

  private static let process: StubLedger? = {
    guard let path = ProcessInfo.processInfo.environment["CONTRACT_STUBS"], !path.isEmpty else {
      return nil
    }
    do {
      return try StubLedger(path: path)
    } catch {
      let message =
        "CONTRACT_STUBS=\(path): no stub is noted, because the file can't be opened: \(error)\n"
      FileHandle.standardError.write(Data(message.utf8))
      return nil
    }
  }()

  /// The ledger of a task and its children, instead of the process's.
  @TaskLocal package static var override: StubLedger?

  /// The ledger to write to, or `nil` if none is kept.
  public static var current: StubLedger? { override ?? process }

  /// Opens a file for appending; creates it, readable only by this user, and its folders if needed.
  ///
  /// - Throws: Foundation's error if that fails.
  package init(path: String) throws {
    self.path = path
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
    state.withLock { $0.file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true) }
  }

  /// Notes an answer that a test scripted.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - place: Where the test scripted it.
  public func note(_ answer: CannedAnswer, from place: StubPlace) {
    write(Line(kind: "stub", answer, place))
  }

  /// Notes an answer that the real thing gave, which backs the same canned answer.
  public func noteLive(_ answer: CannedAnswer) { write(Line(kind: "live", answer, nil)) }

  private func write(_ line: Line) {
    state.withLock { state in
      guard state.written.insert(line).inserted else { return }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // An object of strings and numbers; encoding it can't fail.
      guard let data = try? encoder.encode(line) else { return }
      // A full disk loses a line. The test must not fail for that.
      try? state.file?.write(contentsOf: data + Data([0x0a]))
    }
  }

  /// A line of the file.
  private struct Line: Encodable, Hashable {
    var version = StubLedger.formatVersion
    var kind: String
    var port: String
    var request: String
    var answer: String
    var content: String?
    var file: String?
    var path: String?
    var line: Int?
    /// The day, so that a report can say how old an answer is.
    var time: Int

    init(kind: String, _ answer: CannedAnswer, _ place: StubPlace?) {
      self.kind = kind
      port = answer.port
      request = answer.request
      self.answer = answer.answer
      content = answer.content
      file = place?.fileID
      path = place?.filePath
      line = place?.line
      time = Int(Date().timeIntervalSince1970) / 86_400 * 86_400
    }
  }
}

/// An answer of a port to a request, in words that can be compared.
public struct CannedAnswer: Sendable, Hashable {
  /// The port's name, such as `feedback`.
  public var port: String

  /// The request: two requests are equal if an implementation has to answer them alike.
  public var request: String

  /// The answer.
  public var answer: String

  /// The answer's content, such as JSON, if there is more than ``answer`` says. At most 64 KiB are kept.
  public var content: String?

  /// Describes an answer.
  public init(port: String, request: String, answer: String, content: String? = nil) {
    self.port = port
    self.request = request
    self.answer = answer
    self.content = content.flatMap { $0.utf8.count <= 65_536 ? $0 : nil }
  }
}

/// A place in a test's source.
public struct StubPlace: Sendable, Hashable {
  /// The file, as `Module/File.swift`.
  public var fileID: String
  /// The file's path.
  public var filePath: String
  /// The line, from 1.
  public var line: Int

  /// Describes a place; take the values from the default arguments of the function that a test calls.
  public init(fileID: StaticString, filePath: StaticString, line: Int) {
    self.fileID = "\(fileID)"
    self.filePath = "\(filePath)"
    self.line = line
  }
}
