public import TransportPort
import TransportRecording

/// The transport of a test with the trait `.recorded(_:redacting:over:)`.
///
/// Put redirects, retries and cookies above it, as above any transport.
public struct RecordedTransport: HTTPTransport {
  @TaskLocal static var session: RecordingSession?

  private let session: RecordingSession

  /// The transport of the current test case.
  ///
  /// - Throws: ``OutsideRecordedTestError`` in a test without the trait, or in a detached task.
  public static var current: RecordedTransport {
    get throws(OutsideRecordedTestError) {
      guard let session else { throw OutsideRecordedTestError() }
      return RecordedTransport(session: session)
    }
  }

  public func send(
    _ request: HTTPRequest, body: HTTPRequestBody, options: TransportOptions
  ) async throws(TransportError) -> HTTPExchange {
    try await session.send(request, body: body, options: options)
  }
}

/// ``RecordedTransport/current`` was used outside of a test with the trait.
public struct OutsideRecordedTestError: Error, Sendable, CustomStringConvertible {
  public var description: String {
    "RecordedTransport.current needs a test with the trait .recorded(over:); use it in the test's own "
      + "tasks, and pass it to detached ones"
  }
}
