import ContractTesting
import SystemLocks
import Testing
import TransportPort

extension Saboteur<TransportFixture> {
  @SaboteurBuilder<TransportFixture> static var sequences: [Saboteur<TransportFixture>] {
    flawed(
      "repeats-head", "returns the fields of the previous head if the status is the same",
      caughtBy: "similar-heads", saying: "the head after a similar one"
    ) {
      let last = Mutex<HTTPResponse?>(nil)
      $0.response = { exchange in
        last.withLock { last in
          if let last, last.status == exchange.response.status { exchange.response = last }
          last = exchange.response
        }
      }
    }
    flawed(
      "forgets-first-try", "reports only its last attempt to connect",
      caughtBy: "failed-reconnection", saying: "expected emptyReply"
    ) {
      $0.error = { error in
        guard error.kind == .emptyReply else { return error }
        return TransportError(
          .connectTimeout, phase: .connecting, bytesSent: false, detail: "no answer in 100 ms")
      }
    }
  }
}
