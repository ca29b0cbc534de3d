import ContractExploration
import ContractTesting
import Foundation
import SystemLocks

/// A fixture of the live implementation and one of the fake, on which the same calls are made.
final class DriftPair<Subject> {
  let live: ScopedSubject<Subject>
  let fake: ScopedSubject<Subject>
  private let ids: (live: String, fake: String)
  let mode: DriftMode
  let marks: CallMarks?
  /// Switches a mutant on for each call of the fake; `nil` if the sides are different implementations.
  let mutants: MutantSwitch?

  /// What the calls of each recorded operation returned.
  var liveResults: [[Any?]]
  var fakeResults: [[Any?]]
  /// The values that both sides have chosen.
  private var correspondences = Correspondences()

  /// Whether an answer differed in a way that is known or reported already.
  var hasOldDifference = false
  /// Whether no more calls are made, because the sides are known not to be in the same state.
  var isOver = false
  /// The number of calls transcribed.
  var callNumber = 0
  /// The steps so far, if they are transcribed.
  var transcript: [TranscriptStep]?

  /// Makes both fixtures.
  ///
  /// - Throws: ``SideError``.
  init(
    live: Implementation<Subject>, fake: Implementation<Subject>, mode: DriftMode,
    marks: CallMarks?, recordedOperations: Int
  ) async throws {
    ids = (live.id, fake.id)
    self.mode = mode
    self.marks = marks
    mutants = mode.mutated == nil ? nil : MutantSwitch.current
    self.live = try await SideError.naming(live.id, "making its fixture") {
      try await ScopedSubject(live)
    }
    if mode.mutated != nil { Padding.vary() }
    do {
      self.fake = try await SideError.naming(fake.id, "making its fixture") { [mutants] in
        guard let mutants else { return try await ScopedSubject(fake) }
        var result: Result<ScopedSubject<Subject>, any Error> = .failure(EndlessLoop())
        _ = await mutants.run(mutated: true) {
          do { result = .success(try await ScopedSubject(fake)) } catch { result = .failure(error) }
        }
        return try result.get()
      }
    } catch {
      try? await self.live.tearDown()
      throw error
    }
    liveResults = Array(repeating: [], count: recordedOperations)
    fakeResults = liveResults
    transcript = mode.transcribes ? [] : nil
  }

  /// Makes a call on one side.
  func answer<Value>(
    of side: DriftMode.Side, _ call: () async throws -> Value
  ) async -> SideAnswer<Value> {
    guard let mutants else { return await SideAnswer(call) }
    var answer: SideAnswer<Value> = .notCalled
    let isEndless = await mutants.run(mutated: side == .fake) { answer = await SideAnswer(call) }
    return isEndless ? .threw(EndlessLoop()) : answer
  }

  /// Compares the answers of both sides, and transcribes them if that is wanted.
  func compare<Value>(
    _ live: SideAnswer<Value>, _ fake: SideAnswer<Value>, _ comparison: AnswerComparison<Value>,
    _ errors: ErrorComparison?
  ) -> StepOutcome {
    let areAlike =
      switch (live, fake) {
      case (.returned(let one), .returned(let other)):
        comparison.areAlike(one, other)
          || correspondences.explain(comparison.part(one), comparison.part(other))
      case (.threw(let one), .threw(let other)):
        errors.map { $0.areAlike(one, other) }
          ?? StructuralComparison.areAlike(one, other, apartFrom: correspondences)
      case (.notCalled, _), (_, .notCalled): true
      case (.returned, .threw), (.threw, .returned): false
      }
    transcript?.append(
      TranscriptStep(
        differs: !areAlike,
        live: AnswerText(live, comparison, against: fake, apartFrom: correspondences),
        fake: AnswerText(fake, comparison, against: live, apartFrom: correspondences)))
    if comparison.isOfNothing, case .returned(let one) = live, case .returned(let other) = fake {
      correspondences.add(one, other)
    }
    if areAlike { return .alike }
    return .different(AnswerDifference(live, fake, comparison))
  }

  func tearDown() async throws {
    do {
      try await SideError.naming(ids.fake, "tearing down its fixture") { try await fake.tearDown() }
    } catch {
      try? await live.tearDown()
      throw error
    }
    try await SideError.naming(ids.live, "tearing down its fixture") { try await live.tearDown() }
    if let transcript { throw Transcript(steps: transcript) }
  }
}

/// An error of one side outside of a call.
struct SideError: Error, CustomStringConvertible {
  var description: String

  static func naming<Value>(
    _ side: String, _ action: String, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as any UnavailabilityError {
      throw SideUnavailable(
        description: "\(side) is unavailable: \(error.unavailabilityReason ?? "\(error)")")
    } catch {
      throw SideError(description: "\(side), \(action): \(error)")
    }
  }
}

/// The reason for which the fixture of one side cannot be made here.
struct SideUnavailable: Error, CustomStringConvertible {
  var description: String
}

/// In which way two answers differ, without values, which differ more often than causes.
struct AnswerDifference {
  var live: String
  var fake: String
  /// The properties of a structure, or the elements of a tuple, that differ.
  var parts = ""

  init<Value>(
    _ live: SideAnswer<Value>, _ fake: SideAnswer<Value>, _ comparison: AnswerComparison<Value>
  ) {
    self.live = Self.kind(of: live)
    self.fake = Self.kind(of: fake)
    guard case .returned(let one) = live, case .returned(let other) = fake,
      let one = comparison.part(one), let other = comparison.part(other)
    else { return }
    let mirrors = (Mirror(reflecting: one), Mirror(reflecting: other))
    guard [.struct, .tuple].contains(mirrors.0.displayStyle) else { return }
    for (mine, its) in zip(mirrors.0.children, mirrors.1.children)
    where StructuralComparison.difference(mine.value, its.value) != nil {
      parts += " \(mine.label ?? "")"
    }
  }

  /// Whether one side returned and the other threw: they are not in the same state any more.
  var separates: Bool { live.hasPrefix("threw") != fake.hasPrefix("threw") }

  static func kind<Value>(of answer: SideAnswer<Value>) -> String {
    switch answer {
    case .notCalled: return "not called"
    case .threw(let error):
      let mirror = Mirror(reflecting: error)
      if let error = error as? any CustomNSError {
        return "threw \(type(of: error)) \(error.errorCode)"
      }
      let name = mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(error)" : ""
      return "threw \(type(of: error)) \(name)"
    case .returned(let value):
      switch value {
      case let flag as Bool: return "\(flag)"
      default:
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional: return mirror.children.isEmpty ? "nil" : "returned"
        case .enum: return mirror.children.first?.label ?? "\(value)"
        default: return "returned"
        }
      }
    }
  }
}

/// Memory that is not used.
///
/// The order of a Dictionary or Set depends on its address. Two fixtures of one fake would have the same addresses in
/// each run, and differ in all of them or in none.
private enum Padding {
  private static let blocks = Mutex<[[UInt8]]>([])

  /// Lets the next objects have other addresses than those of the last run.
  static func vary() {
    blocks.withLock { blocks in
      if blocks.count > 4096 { blocks.removeAll() }
      for size in stride(from: 32, to: 1024, by: 16) {
        for _ in 0..<Int.random(in: 0...2) { blocks.append([UInt8](repeating: 0, count: size)) }
      }
    }
  }
}
