import TransportPort

extension HTTPArchive {
  /// One exchange.
  struct Entry: Sendable {
    /// The content of a message.
    enum Body: Sendable, Hashable {
      case bytes([UInt8])
      /// There was content, which the archive does not have; the size in bytes, or -1.
      case unknown(size: Int)

      static let empty = Self.bytes([])
    }

    /// A final response, or as much of it as was received.
    struct Response: Sendable {
      var head: HTTPResponse
      var informational: [HTTPResponse] = []
      var body = Body.empty
      var trailers: HTTPFields = [:]
    }

    /// The start, in seconds since 1970.
    var started: Double?
    /// The time until the head of the response was complete, in seconds.
    var waited = 0.0
    /// The time from then until the end, in seconds.
    var received = 0.0
    var request: HTTPRequest
    var requestBody = Body.empty
    var requestTrailers: HTTPFields = [:]
    var response: Response?
    /// The error that ended the exchange.
    var failure: RecordedFailure?
  }
}
