import Foundation
import HarnessSupport
import SystemLocks
import Testing
import TransportPort
import TransportRecording

/// The recording of one test case while it runs.
final class RecordingSession: Sendable {
  private let path: String
  /// The command that records the test, without `CONTRACT_RECORD=`.
  private let command: String
  private let transport: any HTTPTransport
  /// `nil` if the recording is replayed.
  private let recording: RecordingTransport?
  private let isUsed = Mutex(false)

  init(
    _ trait: RecordedTrait, _ test: Test, _ testCase: Test.Case?
  ) async throws {
    let mode = try trait.mode ?? RecordMode()
    let file = try RecordingFile(trait, test, testCase)
    path = file.path
    command = " swift test --filter '\(Self.name(of: test))'"
    try RecordingFiles.shared.claim(file, for: test, testCase)
    guard mode.writes(URL(fileURLWithPath: path)) else {
      guard FileManager.default.fileExists(atPath: path) else {
        throw RecordedTestError.missing(path: path, command: "\(Self.once)\(command)")
      }
      do throws(HTTPArchiveError) { transport = try ReplayTransport(har: path) } catch {
        throw RecordedTestError.unreadable(
          path: path, reason: "\(error)", command: "\(Self.all)\(command)")
      }
      recording = nil
      return
    }
    let recorder = try RecordingTransport(
      wrapping: try await trait.live(), to: path, redacting: trait.redaction)
    recording = recorder
    transport = recorder
  }

  private static let once = "CONTRACT_RECORD=once"
  private static let all = "CONTRACT_RECORD=all"

  /// The test's id up to its parameters, as `--filter` takes it inside single quotes.
  private static func name(of test: Test) -> String {
    let id = String(describing: test.id)
    return String(id.prefix { $0 != "(" }).replacing("'", with: ".")
  }

  func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    isUsed.withLock { $0 = true }
    do throws(TransportError) {
      return try await transport.send(request, body: body, options: options)
    } catch {
      guard error.underlying is ReplayMismatch else { throw error }
      var error = error
      error.detail += "\nto record \(path) again: \(Self.all)\(command)"
      throw error
    }
  }

  /// Writes what was recorded, or checks that the recording was used.
  func end() throws(RecordedTestError) {
    let isUsed = isUsed.withLock(\.self)
    guard let recording else {
      if !isUsed { throw .unused(path: path, command: "\(Self.all)\(command)") }
      return
    }
    guard isUsed else { throw .nothingRecorded(path: path) }
    do {
      try FileManager.default.createDirectory(
        at: URL(fileURLWithPath: path).deletingLastPathComponent(),
        withIntermediateDirectories: true)
      try recording.save()
    } catch {
      throw .notSaved(path: path, reason: "\(error)")
    }
  }
}
