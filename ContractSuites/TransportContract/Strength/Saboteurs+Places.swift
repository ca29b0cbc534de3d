import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var places: [Saboteur<TransportFixture>] {
    flawed(
      "one-for-all", "lets requests to one origin keep another waiting", caughtBy: "waiting-order",
      timeLimit: .milliseconds(800)
    ) { $0.changeLimits { $0.total = 1 } }
    flawed(
      "single-place", "opens one connection to an origin", caughtBy: "places-return",
      timeLimit: .milliseconds(800)
    ) { $0.changeLimits { $0.perOrigin = 1 } }
    flawed(
      "keeps-four", "keeps four idle connections", caughtBy: "keeps-idle",
      saying: "the list of connections"
    ) { $0.changeLimits { $0.total = 4 } }
  }

  @SaboteurBuilder<TransportFixture> static var sharedPlaces: [Saboteur<TransportFixture>] {
    flawed(
      "one-place-each", "gives each request a connection", caughtBy: "first-requests",
      timeLimit: .milliseconds(800)
    ) { $0.useOnlyHTTP11() }
    flawed(
      "deaf-while-opening", "ignores cancellation while it opens a connection",
      caughtBy: "go-away-failed", timeLimit: .milliseconds(800)
    ) { $0.ignoreCancellation() }
    flawed(
      "stampedes", "opens a connection for each request after GOAWAY", caughtBy: "go-away-crowd",
      saying: "number of connections"
    ) {
      $0.request = { request, _, options in
        if Int(request.url.split(separator: "/").last ?? "") != nil {
          options.reusesConnections = false
        }
      }
    }
    proxied
  }
}
