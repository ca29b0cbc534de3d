import ExplorationEngine

/// A dictionary whose calls suspend, correct or with a fault.
actor AsyncDictionary {
  enum Fault: Sendable {
    /// A delete immediately after a put of the same key is lost.
    case lostDelete
    /// The third command does not return until its task is cancelled.
    case neverReturns
    /// A delete of a missing key blocks its thread.
    case blocks
  }

  let fault: Fault?
  private var entries: [Int: Int] = [:]
  private var lastPut: Int?
  private var commands = 0

  init(_ fault: Fault? = nil) { self.fault = fault }

  func put(_ key: Int, _ value: Int) async {
    await count()
    await Task.yield()
    entries[key] = value
    lastPut = key
  }

  func get(_ key: Int) async -> Int? {
    await count()
    return entries[key]
  }

  func delete(_ key: Int) async -> Bool {
    await count()
    if fault == .blocks, entries[key] == nil { NeverSignalled.semaphore.wait() }
    let isFound = entries[key] != nil
    if fault == .lostDelete, lastPut == key { return isFound }
    lastPut = nil
    entries[key] = nil
    return isFound
  }

  private func count() async {
    commands += 1
    if fault == .neverReturns, commands == 3 {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in stream {}
      continuation.finish()
    }
  }
}

/// The dictionary workload on a subject that suspends.
struct AsyncDictionarySpecification: Specification {
  private let base = DictionarySpecification()

  var initialState: [Int: Int] { [:] }

  func command(
    from choices: inout Choices, in state: [Int: Int]
  ) -> DictionarySpecification.Command {
    base.command(from: &choices, in: state)
  }

  func apply(
    _ command: DictionarySpecification.Command, to state: inout [Int: Int]
  ) -> DictionarySpecification.Response {
    base.apply(command, to: &state)
  }

  func perform(
    _ command: DictionarySpecification.Command, on subject: AsyncDictionary
  ) async throws -> DictionarySpecification.Response {
    switch command {
    case .put(let key, let value):
      await subject.put(key, value)
      return .done
    case .get(let key): return .value(await subject.get(key))
    case .delete(let key): return .deleted(await subject.delete(key))
    }
  }

  func isReadOnly(_ command: DictionarySpecification.Command) -> Bool {
    base.isReadOnly(command)
  }
}
