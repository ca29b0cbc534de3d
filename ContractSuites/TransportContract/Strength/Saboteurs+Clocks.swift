import ContractTesting
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var clocks: [Saboteur<TransportFixture>] {
    flawed(
      "skips-pieces", "sends no content", caughtBy: "idle-clock",
      saying: "the number of content bytes"
    ) { $0.request = { _, body, _ in body = .none } }
    flawed(
      "takes-no-piece", "takes no content from the caller", caughtBy: "exact-idle-clock",
      timeLimit: .milliseconds(500)
    ) { $0.request = { _, body, _ in body = .none } }
    flawed(
      "keeps-past-deadline", "keeps the connection of a response that is not read",
      caughtBy: "unread-clock", saying: "the connection is closed", timeLimit: .seconds(10)
    ) { $0.response = { $0.body = $0.body.withoutCancellation } }
    flawed("too-brief", "ends a response before it is read", caughtBy: "ended-clock") {
      $0.response = { $0.body.cancel() }
    }
    flawed("hasty", "ends a response that is not read at once", caughtBy: "slow-reader") {
      $0.response = { $0.body.cancel() }
    }
  }
}
