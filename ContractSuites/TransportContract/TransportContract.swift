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
    ClauseGroup("Request") { TransportClauses.request }
    ClauseGroup("Response head") { TransportClauses.responseHead }
    ClauseGroup("Framing") { TransportClauses.framing }
    ClauseGroup("Redirects") { TransportClauses.redirects }
    ClauseGroup("Decoding") { TransportClauses.decoding }
    ClauseGroup("Limits of decoding") { TransportClauses.decodingLimits }
    ClauseGroup("Upload") { TransportClauses.upload }
    ClauseGroup("Time, cancellation, connections") { TransportClauses.time }
    ClauseGroup("The pool of connections") { TransportClauses.pool }
    ClauseGroup("A shared local port") { TransportClauses.localPorts }
    ClauseGroup("Exchanges in sequence") { TransportClauses.sequences }
    ClauseGroup("Places in the pool") { TransportClauses.places }
    ClauseGroup("TLS, proxies and hooks") { TransportClauses.trust }
    ClauseGroup("Boundaries") { TransportClauses.boundaries }
    ClauseGroup("Requests and responses as values") { TransportClauses.values }
    ClauseGroup("Reading content") { TransportClauses.reading }
    ClauseGroup("The client") { TransportClauses.client }
    ClauseGroup("Time limits on a given clock") { TransportClauses.clocks }
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
    ClauseGroup("Any server") { TransportClauses.files }
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
    ClauseGroup("HTTP/2") { TransportClauses.http2 }
    ClauseGroup("The end of a stream") { TransportClauses.streamEnds }
    ClauseGroup("A shared local port over HTTP/2") { TransportClauses.localPortsOverHTTP2 }
    ClauseGroup("Places of HTTP/2 in the pool") { TransportClauses.sharedPlaces }
  } saboteurs: {
    Saboteur.http2
  }
}

/// The clauses of each group.
///
/// They are computed. The initial value of a constant is compiled twice, for its file and for the module.
enum TransportClauses {}
