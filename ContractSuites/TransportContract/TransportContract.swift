public import ContractTesting
import Testing

extension Contract<TransportFixture> {
  /// What every HTTP transport promises: RFC 9110 and 9112, the Fetch standard's redirects, and this
  /// project's own promises on errors, time and connections.
  public static let transport = Contract("transport", "HTTP transport") {
    ClauseGroup<TransportFixture>.request
    ClauseGroup<TransportFixture>.responseHead
    ClauseGroup<TransportFixture>.framing
    ClauseGroup<TransportFixture>.redirects
    ClauseGroup<TransportFixture>.decoding
    ClauseGroup<TransportFixture>.upload
    ClauseGroup<TransportFixture>.time
    ClauseGroup<TransportFixture>.trust
  } saboteurs: {
    Saboteur.request
    Saboteur.responseHead
    Saboteur.framing
    Saboteur.redirects
    Saboteur.decoding
    Saboteur.upload
    Saboteur.time
    Saboteur.trust
  }

  /// What a transport promises besides where an origin speaks HTTP/2: RFC 9113.
  ///
  /// A contract of its own, so that a transport which speaks HTTP/1.1 alone can hold all of the
  /// other, and so that servers can be columns here.
  public static let transportHTTP2 = Contract("transport-http2", "HTTP transport over HTTP/2") {
    ClauseGroup<TransportFixture>.http2
  } saboteurs: {
    Saboteur.http2
  }
}
