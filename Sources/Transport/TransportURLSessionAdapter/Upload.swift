import Foundation
import SystemLocks
import TransportPort

/// A streamed request body, written to a temporary file before the request is sent.
///
/// FoundationNetworking reads a body stream on the queue that all sessions of the process share,
/// and takes a stream without available bytes for its end. Waiting for a producer there would block
/// all sessions, and deadlock if the producer waits for another response.
final class Upload: Sendable {
  private struct State {
    var producer: Task<Void, Never>?
    var isStopped = false
  }

  /// The file with the content.
  let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("upload-\(UUID().uuidString)")

  private let reader: HTTPRequestBody.Reader
  private let state = Mutex(State())

  init(_ reader: HTTPRequestBody.Reader) {
    self.reader = reader
  }

  deinit {
    try? FileManager.default.removeItem(at: file)
  }

  /// Starts writing the content.
  ///
  /// - Parameter finish: Receives `nil` when the content is complete, or the error. It is not
  ///   called after `stop()`.
  func start(_ finish: @escaping @Sendable (TransportError?) -> Void) {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.producer = Task {
        var failure: TransportError?
        do throws(TransportError) { try await self.writeFile() } catch { failure = error }
        if !self.state.withLock({ $0.isStopped }) { finish(failure) }
      }
    }
  }

  /// Cancels the producer and removes the file.
  func stop() {
    let producer = state.withLock { state in
      state.isStopped = true
      defer { state.producer = nil }
      return state.producer
    }
    producer?.cancel()
    try? FileManager.default.removeItem(at: file)
  }

  private func writeFile() async throws(TransportError) {
    let handle: FileHandle
    do {
      let isCreated = FileManager.default.createFile(
        atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
      guard isCreated else { throw CocoaError(.fileWriteUnknown) }
      handle = try FileHandle(forWritingTo: file)
    } catch {
      throw .unwritable(file, error)
    }
    defer { try? handle.close() }
    while !Task.isCancelled, let chunk = try await next() {
      do { try handle.write(contentsOf: chunk) } catch { throw .unwritable(file, error) }
    }
  }

  private func next() async throws(TransportError) -> [UInt8]? {
    do throws(TransportError) { return try await reader.next() } catch {
      var error = error
      error.phase = .preparing
      error.bytesSent = false
      throw error
    }
  }
}

extension TransportError {
  fileprivate static func unwritable(_ file: URL, _ error: any Error) -> TransportError {
    TransportError(
      .other, phase: .preparing, bytesSent: false,
      detail: "could not write the request body to \(file.path); check the free space there",
      underlying: error)
  }
}
