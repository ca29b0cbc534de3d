/// The behaviour of a feedback service as a state machine: the loads in flight and their deadlines.
struct FeedbackModel {
  /// The receiver of the vendor's next answer.
  enum Listener: Equatable {
    case nobody
    case load(number: Int)
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
  /// More than one only if a stranger came and went, and so took the listener's place from the first.
  private var loads: [Load] = []
  private(set) var listener: Listener = .nobody
  private(set) var requestedIDs: [String] = []

  init(timeLimit: Duration) { self.timeLimit = timeLimit }

  /// Begins a load and returns its number.
  mutating func begin(_ id: String) throws(MultipleFormLoadError) -> Int {
    guard listener == .nobody else { throw MultipleFormLoadError(id: id) }
    requestedIDs.append(id)
    let number = requestedIDs.count
    loads.append(Load(number: number, id: id, deadline: now + timeLimit))
    listener = .load(number: number)
    return number
  }

  /// Ends a load.
  mutating func end(_ number: Int) {
    loads.removeAll { $0.number == number }
    // A stranger, or another load after it, remains the listener.
    if listener == .load(number: number) { listener = .nobody }
  }

  /// Advances time, and returns the loads whose deadline has passed. Their callers end them.
  mutating func advance(by duration: Duration) -> [Load] {
    now += duration
    return loads.filter { $0.deadline <= now }
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
