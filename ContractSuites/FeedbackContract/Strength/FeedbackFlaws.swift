import FeedbackPort

/// The behaviour of a service that a saboteur can change. By default the service is correct.
package struct FeedbackFlaws: Sendable {
  typealias Answer = SimulatedVendor.Answer

  /// Returns the id that is used in place of the caller's.
  var id: @Sendable (String) -> String = { $0 }

  /// Returns the questions of the form in place of the vendor's.
  var questions: @Sendable ([String]) -> [String] = { $0 }

  /// Returns the error that is thrown in place of the vendor's.
  var error: @Sendable (any Error) -> any Error = { $0 }

  /// The error that a cancelled load throws.
  var cancellationError: any Error = CancellationError()

  /// Whether a load of a cancelled task throws before it reaches the vendor.
  var checksCancellation = true

  /// Whether the service listens before it calls the vendor, and not after.
  var listensFirst = true

  /// Whether a service may start to listen to the vendor.
  var mayListen: @Sendable (SimulatedVendor, _ service: ObjectIdentifier) -> Bool = { vendor, _ in
    vendor.listener == .nobody
  }

  /// Whether all loads are refused after one was.
  var staysRefused = false

  /// Whether `mayListen` and the start of listening are one atomic step.
  var listensAtomically = true

  /// Ends the listening of a service.
  var stopListening: @Sendable (SimulatedVendor, _ service: ObjectIdentifier) -> Void = {
    vendor, service in
    if vendor.receiver?.owner == service { vendor.receiver = nil }
  }

  /// How often a load calls the vendor.
  var callsPerLoad = 1

  /// Whether answers from other threads than the one that began the load are received.
  var receivesOnAnyThread = true

  /// Whether an answer that no load waits for is kept and given to the next load.
  var keepsSurplusAnswers = false

  /// Starts the timer of a load, which passes the error to the load when the time is up.
  var startTimer:
    @Sendable (SimulatedVendor, FeedbackTimeoutError, _ load: @escaping @Sendable (Answer) -> Void)
      -> Void = { vendor, error, load in
        vendor.setTimer(error.timeLimit) { load(.failure(error)) }
      }

  /// Creates the flaws of a correct service.
  package init() {}
}

extension FeedbackFixture {
  /// Creates two services with the same flaws on a vendor in memory.
  package static func flawed(_ flaws: FeedbackFlaws) -> FeedbackFixture {
    let vendor = SimulatedVendor()
    let shared = FlawedFeedbackService.Shared()
    return FeedbackFixture(
      service: FlawedFeedbackService(flaws, on: vendor, shared),
      otherService: FlawedFeedbackService(flaws, on: vendor, shared), vendor: vendor,
      timeLimit: FlawedFeedbackService.timeLimit, ownAnswers: vendor.ownAnswers,
      passTime: { vendor.passTime($0) })
  }
}
