/// What a feedback service does, as plain functions: who is being answered, and until when.
struct FeedbackModel {
  /// Who gets the vendor's next answer.
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

  /// Begins a load, and gives back its number.
  mutating func begin(_ id: String) throws(MultipleFormLoadError) -> Int {
    guard load == nil, listener == .nobody else { throw MultipleFormLoadError(id: id) }
    requestedIDs.append(id)
    load = Load(number: requestedIDs.count, id: id, deadline: now + timeLimit)
    listener = .service
    return requestedIDs.count
  }

  /// Ends a load, if it has not ended.
  mutating func end(_ number: Int) {
    guard load?.number == number else { return }
    load = nil
    if listener == .service { listener = .nobody }
  }

  /// Whether an answer to the load comes to it.
  func isListening(for number: Int) -> Bool { load?.number == number && listener == .service }

  /// Lets time pass, and gives back the load that ran out of it.
  mutating func advance(by duration: Duration) -> Load? {
    now += duration
    guard let late = load, late.deadline <= now else { return nil }
    end(late.number)
    return late
  }

  /// Somebody else takes the vendor's answers, or lets go of them.
  mutating func setStranger(isListening: Bool) {
    if isListening {
      listener = .stranger
    } else if listener == .stranger {
      listener = .nobody
    }
  }
}
