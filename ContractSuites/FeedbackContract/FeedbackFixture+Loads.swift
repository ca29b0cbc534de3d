import FeedbackPort
import Testing

/// A load that has reached the vendor and has not been answered.
struct LoadInFlight: Sendable {
  let task: Task<FeedbackForm, any Error>

  /// The load on the vendor's side.
  let atVendor: VendorLoad

  /// Waits for the service's form or error. Cancellation of the wait cancels the load.
  func form() async throws -> FeedbackForm {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// A load returned a form before the vendor answered it.
struct EndedUnansweredError: Error, CustomStringConvertible {
  var description: String {
    "the load returned before the vendor answered it: it received another load's answer"
  }
}

extension FeedbackFixture {
  /// Begins a load and waits until it reaches the vendor.
  ///
  /// - Throws: The load's error if it fails before that, or ``EndedUnansweredError``.
  func begin(_ id: String, on other: (any FeedbackService)? = nil) async throws -> LoadInFlight {
    enum Event: Sendable {
      case reached(VendorLoad)
      case ended(Result<FeedbackForm, any Error>)
    }
    let service = other ?? service
    let events = AsyncStream<Event>.makeStream()
    vendor.onLoad { events.continuation.yield(.reached($0)) }
    let task = Task {
      do {
        let form = try await service.loadForm(id)
        events.continuation.yield(.ended(.success(form)))
        return form
      } catch {
        events.continuation.yield(.ended(.failure(error)))
        throw error
      }
    }
    for await event in events.stream {
      switch event {
      case .reached(let load): return LoadInFlight(task: task, atVendor: load)
      case .ended(.failure(let error)): throw error
      case .ended(.success): throw EndedUnansweredError()
      }
    }
    task.cancel()
    throw CancellationError()
  }

  /// Checks that the last load has cleaned up: the vendor has no listener and a new load succeeds.
  func expectNewLoadWorks(
    on service: (any FeedbackService)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try #require(
      vendor.listener == .nobody, "the vendor still has a listener after the load",
      sourceLocation: sourceLocation)
    let next = try await begin("the next form", on: service)
    next.atVendor.answer(.form("the next"))
    let title = try await next.form().title
    #expect(
      title == "the next", "the next load received another load's form",
      sourceLocation: sourceLocation)
  }
}
