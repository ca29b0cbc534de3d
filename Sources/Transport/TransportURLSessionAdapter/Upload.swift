import Foundation
import SystemLocks
import TransportPort

/// The content of one request, made as a whole in a temporary file before any of it is sent.
///
/// FoundationNetworking reads a stream on the one queue of all sessions of the process, and takes a
/// stream without bytes at hand for one at its end. So a producer that is waited for would hold up
/// everything, and for ever where it waits for another response.
final class Upload: Sendable {
  private struct State {
    var producer: Task<Void, Never>?
    var isStopped = false
  }

  /// Where the content is, once it was made.
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

  /// Begins to make the content.
  ///
  /// - Parameter finish: Gets `nil` once all was made, or what went wrong; not called once stopped.
  func start(_ finish: @escaping @Sendable (TransportError?) -> Void) {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.producer = Task {
        var failure: TransportError?
        do throws(TransportError) { try await self.make() } catch { failure = error }
        if !self.state.withLock({ $0.isStopped }) { finish(failure) }
      }
    }
  }

  /// Ends the producer and removes the file.
  func stop() {
    let producer = state.withLock { state in
      state.isStopped = true
      defer { state.producer = nil }
      return state.producer
    }
    producer?.cancel()
    try? FileManager.default.removeItem(at: file)
  }

  private func make() async throws(TransportError) {
    let handle: FileHandle
    do {
      let isMade = FileManager.default.createFile(
        atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
      guard isMade else { throw CocoaError(.fileWriteUnknown) }
      handle = try FileHandle(forWritingTo: file)
    } catch {
      throw .unwritable(file, error)
    }
    defer { try? handle.close() }
    while let chunk = try await next() {
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
      detail: "the content can't be kept in \(file.path); make room there", underlying: error)
  }
}
