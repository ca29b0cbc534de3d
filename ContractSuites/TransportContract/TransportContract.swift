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
}
