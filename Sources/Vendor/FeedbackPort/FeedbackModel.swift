/// The behaviour of a feedback service as a state machine: the load in flight and its deadline.
struct FeedbackModel {
  /// The receiver of the vendor's next answer.
  enum Listener {
    case nobody
    case service
    case stranger
  }

  /// A load that has not ended.
  struct Load {
    var number: Int
    var id: String
    var deadline: Duration
  }

  let timeLimit: Duration
  private(set) var now: Duration = .zero
  private(set) var load: Load?
  private(set) var listener: Listener = .nobody
  private(set) var requestedIDs: [String] = []

  init(timeLimit: Duration) { self.timeLimit = timeLimit }

  /// Begins a load and returns its number.
  mutating func begin(_ id: String) throws(MultipleFormLoadError) -> Int {
    guard load == nil, listener == .nobody else { throw MultipleFormLoadError(id: id) }
    requestedIDs.append(id)
    load = Load(number: requestedIDs.count, id: id, deadline: now + timeLimit)
    listener = .service
    return requestedIDs.count
  }

  /// Ends a load. A load that has ended already is ignored.
  mutating func end(_ number: Int) {
    guard load?.number == number else { return }
    load = nil
    // A stranger that became the listener during the load remains the listener.
    if listener == .service { listener = .nobody }
  }

  /// Whether an answer to a load reaches it.
  func isListening(for number: Int) -> Bool { load?.number == number && listener == .service }

  /// Advances time, and returns the load if its deadline has passed. Its caller ends it.
  mutating func advance(by duration: Duration) -> Load? {
    now += duration
    guard let load, load.deadline <= now else { return nil }
    return load
  }

  /// Makes another client the vendor's listener, or removes it.
  mutating func setStranger(isListening: Bool) {
    if isListening {
      listener = .stranger
    } else if listener == .stranger {
      listener = .nobody
    }
  }
}
