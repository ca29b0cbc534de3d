/// Where the content of a response comes from, as an adapter of this package gives it.
package protocol HTTPResponseBodySource: AnyObject, Sendable {
  /// The next part where that takes no waiting; `nil` where it does.
  func readyPart() throws(TransportError) -> HTTPResponseBody.Part?

  /// Waits for the next part.
  nonisolated(nonsending) func nextPart() async throws(TransportError) -> HTTPResponseBody.Part

  /// Closes the source at once; it may be called more than once, from any thread.
  func cancel()
}

/// A source that is made of closures.
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
