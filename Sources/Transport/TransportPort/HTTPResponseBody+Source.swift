/// The adapter's side of a response body.
///
/// One task at a time calls `readyPart` and `nextPart`, and none after the end or an error.
package protocol HTTPResponseBodySource: AnyObject, Sendable {
  /// Returns the next part if it is available without suspending, otherwise `nil`.
  func readyPart() throws(TransportError) -> HTTPResponseBody.Part?

  /// Waits for the next part and returns it.
  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part

  /// Closes the source at once. It may be called more than once and from any thread.
  func cancel()
}

/// A source made of two closures.
final class ClosureSource: HTTPResponseBodySource {
  private let next:
    nonisolated(nonsending) @Sendable () async throws(TransportError) -> HTTPResponseBody.Part
  private let close: @Sendable () -> Void

  init(
    next:
      nonisolated(nonsending) @escaping @Sendable () async throws(TransportError) ->
      HTTPResponseBody.Part,
    close: @escaping @Sendable () -> Void
  ) {
    self.next = next
    self.close = close
  }

  func readyPart() -> HTTPResponseBody.Part? { nil }

  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part {
    try await next()
  }

  func cancel() { close() }
}
