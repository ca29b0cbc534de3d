package import ExplorationEngine
internal import LockStepExploration
import SystemLocks

/// The answers of a subject to commands.
package struct TraceAnswers<Response: Sendable>: Sendable {
  /// The answers, in order. They end before the command that had none.
  package var responses: [Response]

  /// Why the next command had no answer, or why the subject could not be created or torn down;
  /// `nil` if every command has one.
  package var failure: String?

  package init(_ responses: [Response], failure: String? = nil) {
    self.responses = responses
    self.failure = failure
  }
}

extension TraceAnswers where Response: Equatable {
  /// The index of the first command to which another subject answered differently, or `nil`.
  package func firstChange(from other: Self) -> Int? {
    if let index = responses.indices.first(where: { index in
      index < other.responses.count && responses[index] != other.responses[index]
    }) {
      return index
    }
    let counts = (responses.count, other.responses.count)
    return counts.0 == counts.1 ? nil : min(counts.0, counts.1)
  }
}

/// Runs lists of commands on subjects, one after the other, and keeps the answers.
///
/// A call that takes too long is abandoned with its subject, as in lock-step exploration.
package struct TraceRunner<Spec: Specification>: Sendable {
  private let lockStep: LockStep<TranscribedSpecification<Spec>>
  private let transcripts: Transcripts<Spec.Response>

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - specification: The specification.
  ///   - settings: The timeout of a list; the other settings are not used.
  ///   - tearDown: Called with each subject when its list has ended.
  ///   - makeSubject: Creates a subject in the initial state, for each list.
  package init(
    _ specification: Spec, settings: ExplorationSettings,
    tearDown: @escaping @Sendable (Spec.Subject) async throws -> Void = { _ in },
    makeSubject: @escaping @Sendable () async throws -> Spec.Subject
  ) {
    let transcripts = Transcripts<Spec.Response>()
    self.transcripts = transcripts
    lockStep = LockStep(
      TranscribedSpecification(base: specification), settings: settings
    ) { subject in
      try await tearDown(subject.base)
    } makeSubject: {
      .init(transcript: transcripts.begin(), base: try await makeSubject())
    }
  }

  /// Runs each list on a new subject.
  ///
  /// - Returns: The answers to each list, in order; fewer if the calling task is cancelled.
  package func run(_ lists: [[Spec.Command]]) async -> [TraceAnswers<Spec.Response>] {
    let transcripts = transcripts
    return await lockStep.run(each: lists) { kind in
      TraceAnswers(transcripts.end(), failure: kind.map(Self.text))
    }
  }

  private static func text(_ kind: LockStepFailureKind<Performed>) -> String {
    switch kind {
    case .threw(let type, let message, _): "it threw \(type): \(message)"
    case .mismatch, .differed: "it gave no answer"
    case .timedOut, .endedProcess, .setUpEndedProcess, .setUpThrew, .tearDownThrew: "\(kind)"
    }
  }
}

/// The answers of the subject that runs now.
private final class Transcripts<Response: Sendable>: Sendable {
  private let current = Mutex<Transcript<Response>?>(nil)

  func begin() -> Transcript<Response> {
    let transcript = Transcript<Response>()
    current.withLock { $0 = transcript }
    return transcript
  }

  /// The answers so far. A subject that was abandoned adds to a transcript that nobody reads.
  func end() -> [Response] { current.withLock { $0.take() }?.responses ?? [] }
}

/// The answers of one subject.
private final class Transcript<Response: Sendable>: Sendable {
  private let list = Mutex<[Response]>([])

  var responses: [Response] { list.withLock { $0 } }

  func append(_ response: Response) { list.withLock { $0.append(response) } }
}

/// The response to every command of a transcribed subject: whatever it answers is right.
struct Performed: Equatable, Sendable {}

/// A specification that keeps the answers of its subjects instead of comparing them.
struct TranscribedSpecification<Base: Specification>: Specification {
  /// A subject, and where its answers go.
  struct Subject {
    fileprivate var transcript: Transcript<Base.Response>
    var base: Base.Subject
  }

  let base: Base

  var initialState: Base.State { base.initialState }
  var source: String { base.source }

  func command(from choices: inout Choices, in state: Base.State) -> Base.Command {
    base.command(from: &choices, in: state)
  }

  func apply(_ command: Base.Command, to state: inout Base.State) -> Performed {
    _ = base.apply(command, to: &state)
    return Performed()
  }

  func perform(_ command: Base.Command, on subject: Subject) async throws -> Performed {
    subject.transcript.append(try await base.perform(command, on: subject.base))
    return Performed()
  }
}
