import Synchronization

extension HTTPResponseBody {
  /// Returns a function that reads the next part, for a policy that wraps this body.
  func partReader() -> @Sendable () async throws(TransportError) -> Part {
    {
      () async throws(TransportError) -> Part in
      var iterator = self.makeAsyncIterator()
      guard let bytes = try await iterator.next() else {
        return .end(trailers: self.trailerFields ?? [:])
      }
      return .bytes(bytes)
    }
  }

  /// Returns a body with the same content that reports the progress of the download.
  ///
  /// - Parameter report: Receives the number of bytes read so far.
  public func reportingProgress(
    _ report: @escaping @Sendable (_ received: Int) -> Void
  ) -> HTTPResponseBody {
    let reader = partReader()
    let received = Atomic(0)
    return HTTPResponseBody(
      next: { () async throws(TransportError) in
        let part = try await reader()
        if case .bytes(let bytes) = part {
          report(received.wrappingAdd(bytes.count, ordering: .relaxed).newValue)
        }
        return part
      },
      cancel: { cancel() })
  }
}
