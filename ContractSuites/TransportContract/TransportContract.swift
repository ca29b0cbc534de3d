public import ContractTesting
import Testing

extension Contract<TransportFixture> {
  /// The contract of every HTTP transport.
  ///
  /// Its sources are RFC 9110 and RFC 9112, the redirects of the Fetch standard, and this project's
  /// requirements for errors, timeouts and connections.
  public static let transport: Self = Contract(
    "transport", "HTTP transport", leavesOthersToMutants: true
  ) {
    ClauseGroup<TransportFixture>.request
    ClauseGroup<TransportFixture>.responseHead
    ClauseGroup<TransportFixture>.framing
    ClauseGroup<TransportFixture>.redirects
    ClauseGroup<TransportFixture>.decoding
    ClauseGroup<TransportFixture>.decodingLimits
    ClauseGroup<TransportFixture>.upload
    ClauseGroup<TransportFixture>.time
    ClauseGroup<TransportFixture>.pool
    ClauseGroup<TransportFixture>.localPorts
    ClauseGroup<TransportFixture>.sequences
    ClauseGroup<TransportFixture>.places
    ClauseGroup<TransportFixture>.trust
    ClauseGroup<TransportFixture>.boundaries
    ClauseGroup<TransportFixture>.values
    ClauseGroup<TransportFixture>.reading
    ClauseGroup<TransportFixture>.client
    ClauseGroup<TransportFixture>.clocks
  } saboteurs: {
    Saboteur.transport
  }

  /// The contract of every HTTP transport with any server.
  ///
  /// Its clauses need only a server of files and check only what the transport returns. So a
  /// transport can run it with the servers that it meets in production; see ``FileServer``.
  public static let transportFiles: Self = Contract(
    "transport-files", "HTTP transport with any server", leavesOthersToMutants: true
  ) {
    ClauseGroup<TransportFixture>.files
  } saboteurs: {
    Saboteur.files
  }

  /// The additional contract of transports that support HTTP/2, from RFC 9113.
  ///
  /// It is separate so that a transport with only HTTP/1.1 can pass all of ``transport``, and so
  /// that the same transport can run it with different servers.
  public static let transportHTTP2: Self = Contract(
    "transport-http2", "HTTP transport over HTTP/2", leavesOthersToMutants: true
  ) {
    ClauseGroup<TransportFixture>.http2
    ClauseGroup<TransportFixture>.streamEnds
    ClauseGroup<TransportFixture>.localPortsOverHTTP2
    ClauseGroup<TransportFixture>.sharedPlaces
  } saboteurs: {
    Saboteur.http2
  }
}
