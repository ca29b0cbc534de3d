import FeedbackPort
import Testing

/// A load that has reached the vendor and was not answered yet.
struct LoadInFlight: Sendable {
  let task: Task<FeedbackForm, any Error>

  /// The load as the vendor sees it.
  let atVendor: VendorLoad

  /// Waits for the service; a cancelled wait cancels the load.
  func form() async throws -> FeedbackForm {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// A load that ended with a form before the vendor had answered it.
struct EndedUnansweredError: Error, CustomStringConvertible {
  var description: String { "the load ended unanswered: it took another one's answer" }
}

extension FeedbackFixture {
  /// Begins a load and waits until the vendor is asked.
  ///
  /// - Throws: The load's error where it ends before that.
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

  /// Checks that the last load has left nothing behind: the place is empty and a new load works.
  func expectNewLoadWorks(
    on service: (any FeedbackService)? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try #require(
      vendor.listener == .nobody, "the service still holds the vendor's only place",
      sourceLocation: sourceLocation)
    let next = try await begin("the next form", on: service)
    next.atVendor.answer(.form("the next"))
    let title = try await next.form().title
    #expect(
      title == "the next", "the next load got another one's form", sourceLocation: sourceLocation)
  }
}
