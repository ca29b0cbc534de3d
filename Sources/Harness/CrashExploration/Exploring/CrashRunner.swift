import ContractExploration
import ContractTesting
import Foundation

/// Runs trials, in this process or in another.
protocol CrashRunner<Spec> {
  associatedtype Spec: PersistentSpecification

  /// Runs a trial and blocks until it has ended.
  ///
  /// - Parameters:
  ///   - commands: The commands.
  ///   - choices: The choices that draw them, or `nil` if every process has the commands.
  ///   - deadline: The time after which no point is examined.
  ///   - goesOn: Whether reopened subjects have to go on with the next commands.
  /// - Throws: ``CrashExplorationError`` if there is no verdict.
  func run(
    _ commands: [Spec.Command], drawnFrom choices: ChoiceSequence?,
    until deadline: ContinuousClock.Instant?, goesOn: Bool
  ) throws -> CrashTrial<Spec>.Outcome

  /// Ends what trials need.
  func end()
}

/// Runs trials in this process.
struct LocalCrashRunner<Spec: PersistentSpecification>: CrashRunner {
  let trial: CrashTrial<Spec>

  func run(
    _ commands: [Spec.Command], drawnFrom choices: ChoiceSequence?,
    until deadline: ContinuousClock.Instant?, goesOn: Bool
  ) throws -> CrashTrial<Spec>.Outcome {
    try trial.run(commands, until: deadline, goesOn: goesOn) { _, _ in }
  }

  func end() {}
}

// MARK: - In another process

/// A trial that one process asks another to run, as a line of JSON.
private struct CrashRequest: Codable {
  /// The choices that draw the commands, or `nil` for the commands that both processes were given.
  var choices: ChoiceSequence?
  /// The time left for examining.
  var seconds: Double?
  var goesOn: Bool
  var resumption: CrashResumption?
}

/// The other process's messages.
private enum CrashReply: Codable {
  case ready
  /// The trial begins. The subject is known to have these findings.
  case begins([CrashDeviation])
  /// An image is opened next. The finding is what the process's end would be.
  case opening(CrashFinding, CrashProgress)
  case ended(CrashCoverage, CrashFinding?)
  case failed(CrashExplorationError)
}

/// Runs trials in another process, so that a subject that traps or hangs on what a crash has left
/// is a finding.
final class RemoteCrashRunner<Spec: PersistentSpecification>: CrashRunner {
  private let processes: SubjectProcesses
  private let cancellation: ConcurrentFlag
  /// How long an image may take, and the recording.
  private let limit: Duration

  init(
    _ start: @escaping StartSubjectProcess, limit: Duration, cancellation: ConcurrentFlag
  ) {
    processes = SubjectProcesses(start)
    self.limit = limit
    self.cancellation = cancellation
  }

  func run(
    _ commands: [Spec.Command], drawnFrom choices: ChoiceSequence?,
    until deadline: ContinuousClock.Instant?, goesOn: Bool
  ) throws -> CrashTrial<Spec>.Outcome {
    var request = CrashRequest(choices: choices, goesOn: goesOn)
    while true {
      request.seconds = deadline.map { ($0 - .now) / .seconds(1) }
      var known: [CrashDeviation] = []
      var last: (finding: CrashFinding, progress: CrashProgress)?
      let conversation = processes.converse(
        request, within: limit, isAbandoned: cancellation.isSet
      ) { (reply: CrashReply) -> Result<CrashTrial<Spec>.Outcome, any Error>? in
        switch reply {
        case _ where cancellation.isSet: return .failure(CancellationError())
        case .ready: break
        case .begins(let deviations): known = deviations
        case .opening(let finding, let progress): last = (finding, progress)
        case .ended(let coverage, let finding):
          return .success(.init(coverage: coverage, finding: finding))
        case .failed(let error): return .failure(error)
        }
        return nil
      }
      let end: EndedImage
      switch conversation {
      case .value(let result): return try result.get()
      case .ended(let reason): end = .init(kind: .endedProcess, found: "it ended by \(reason)")
      case .silent where cancellation.isSet: throw CancellationError()
      case .silent: end = .init(kind: .hung, found: "nothing within \(limit)")
      case .unavailable(let message): throw CrashExplorationError(.processFailed, message)
      }
      guard let last else {
        throw CrashExplorationError(
          .processFailed,
          "the subject's process did not survive the commands without a crash: \(end.found)")
      }
      var finding = last.finding
      end.describe(in: &finding)
      guard known.contains(where: { $0.covers(finding) }) else { return .init(finding: finding) }
      // Another process goes on after the image.
      var ended = request.resumption?.ended ?? [:]
      ended[last.progress.image] = end
      request.resumption = CrashResumption(progress: last.progress, ended: ended)
    }
  }

  func end() { processes.stop() }
}

extension CrashTrial {
  /// Runs trials for the process at the other end of a connection, until it closes it.
  ///
  /// - Parameter given: The commands to run if the other process has the same ones.
  func serve(_ connection: LineConnection, given: [Spec.Command]) {
    connection.send(CrashReply.ready)
    while case .message(let request) = connection.receive(CrashRequest.self) {
      let commands = request.choices.map { DrawnCommands(specification, from: $0).commands }
      connection.send(CrashReply.begins(reopenable.deviations))
      do {
        let outcome = try run(
          commands ?? given,
          until: request.seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) },
          goesOn: request.goesOn, resuming: request.resumption
        ) { connection.send(CrashReply.opening($0, $1)) }
        connection.send(CrashReply.ended(outcome.coverage, outcome.finding))
      } catch {
        let error =
          error as? CrashExplorationError ?? CrashExplorationError(.processFailed, "\(error)")
        connection.send(CrashReply.failed(error))
      }
    }
  }
}
