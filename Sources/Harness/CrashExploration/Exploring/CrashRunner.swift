import ContractExploration
import ContractTesting
import Foundation
import SystemPlatform

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
    try trial.run(commands, until: deadline, goesOn: goesOn) { _ in }
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
}

/// The other process's messages.
private enum CrashReply: Codable {
  case ready
  /// An image is opened next. The finding is what the process's end would be.
  case opening(CrashFinding)
  case ended(CrashCoverage, CrashFinding?)
  case failed(CrashExplorationError)
}

/// Runs trials in another process, so that a subject that traps or hangs on what a crash has left
/// is a finding.
final class RemoteCrashRunner<Spec: PersistentSpecification>: CrashRunner {
  private let start: StartSubjectProcess
  private let cancellation: CrashCancellation
  /// How long an image may take, and the recording.
  private let limit: Duration
  private var current: (process: any SubjectProcess, connection: LineConnection)?

  /// How long a process may take until it arrives at the exploration.
  private static var startLimit: Duration { .seconds(60) }
  init(
    _ start: @escaping StartSubjectProcess, limit: Duration, cancellation: CrashCancellation
  ) {
    self.start = start
    self.limit = limit
    self.cancellation = cancellation
  }

  func run(
    _ commands: [Spec.Command], drawnFrom choices: ChoiceSequence?,
    until deadline: ContinuousClock.Instant?, goesOn: Bool
  ) throws -> CrashTrial<Spec>.Outcome {
    let connection = try connected()
    connection.send(
      CrashRequest(
        choices: choices, seconds: deadline.map { ($0 - .now) / .seconds(1) }, goesOn: goesOn))
    var last: CrashFinding?
    while true {
      if cancellation.isRequested { throw CancellationError() }
      switch connection.receive(CrashReply.self, within: limit) {
      case .message(.ready): break
      case .message(.opening(let finding)): last = finding
      case .message(.ended(let coverage, let finding)):
        return .init(coverage: coverage, finding: finding)
      case .message(.failed(let error)): throw error
      case .closed: return try finding(last, .endedProcess, "it ended by \(stop())")
      case .timedOut:
        current?.process.kill()
        _ = stop()
        return try finding(last, .hung, "nothing within \(limit)")
      }
    }
  }

  func end() {
    current?.process.kill()
    _ = stop()
  }

  private func finding(
    _ last: CrashFinding?, _ kind: CrashFinding.Kind, _ found: String
  ) throws -> CrashTrial<Spec>.Outcome {
    guard var finding = last else {
      throw CrashExplorationError(
        .processFailed,
        "the subject's process did not survive the commands without a crash: \(found)")
    }
    finding.kind = kind
    finding.found = found
    finding.expected = ["the subject to open"]
    return .init(finding: finding)
  }

  /// Waits for the end of the process, and returns how it ended.
  private func stop() -> String {
    defer { current = nil }
    return current?.process.waitUntilEnd() ?? ""
  }

  private func connected() throws -> LineConnection {
    if let current { return current.connection }
    guard let (ours, theirs) = makeConnectedSockets() else {
      throw CrashExplorationError(
        .processFailed, "no connection to a new process: \(String(cString: strerror(errno)))")
    }
    let connection = LineConnection(ours)
    do {
      let input = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
      current = (try start(input), connection)
    } catch {
      throw CrashExplorationError(
        .processFailed, "a process for the subject can't be started: \(error)")
    }
    switch connection.receive(CrashReply.self, within: Self.startLimit) {
    case .message(.ready): return connection
    case .message, .closed:
      throw CrashExplorationError(
        .processFailed, "the subject's process ended before the exploration: \(stop())")
    case .timedOut:
      end()
      throw CrashExplorationError(
        .processFailed,
        "the subject's process did not arrive at the exploration within "
          + "\(Self.startLimit); its code before the exploration may wait for something")
    }
  }
}

extension CrashTrial {
  /// Runs trials for the process at the other end of a connection, until it closes it.
  ///
  /// - Parameter given: The commands to run if the other process has the same ones.
  func serve(_ connection: LineConnection, given: [Spec.Command]) {
    connection.send(CrashReply.ready)
    while case .message(let request) = connection.receive(CrashRequest.self) {
      let commands = request.choices.map { DrawnCommands(specification, from: $0).commands }
      do {
        let outcome = try run(
          commands ?? given,
          until: request.seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) },
          goesOn: request.goesOn
        ) { connection.send(CrashReply.opening($0)) }
        connection.send(CrashReply.ended(outcome.coverage, outcome.finding))
      } catch {
        let error =
          error as? CrashExplorationError ?? CrashExplorationError(.processFailed, "\(error)")
        connection.send(CrashReply.failed(error))
      }
    }
  }
}
