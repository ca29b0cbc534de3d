import ContractExploration
import ContractTesting
import Foundation

/// Records commands on a new subject once, and examines a crash at every point of the recording.
struct CrashTrial<Spec: PersistentSpecification>: Sendable {
  var specification: Spec
  var reopenable: Reopenable<Spec.Subject>
  var durability: CrashDurability
  var modes: [CrashMode]
  /// Whether a second crash is examined, at every point of a reopening.
  var duringRecovery = false
  var cancellation = ConcurrentFlag()

  /// What a trial came to.
  struct Outcome: Sendable, Codable {
    var coverage = CrashCoverage()
    var finding: CrashFinding?
  }

  /// Called before an image is opened, with the finding that a crash of this process would be.
  typealias WillOpen = (CrashFinding, CrashProgress) -> Void

  /// Runs the trial. It blocks the calling thread.
  ///
  /// - Parameters:
  ///   - commands: The commands.
  ///   - deadline: The time after which no point is examined.
  ///   - goesOn: Whether reopened subjects have to go on with the next commands.
  ///   - resumption: Where to go on, or `nil` for a new trial.
  /// - Throws: ``CrashExplorationError`` if there is no verdict.
  func run(
    _ commands: [Spec.Command], until deadline: ContinuousClock.Instant?, goesOn: Bool,
    resuming resumption: CrashResumption? = nil, willOpen: WillOpen
  ) throws -> Outcome {
    let folder = try WorkingFolder()
    defer { folder.remove() }
    let events = try record(commands, in: try folder.subfolder("recorded"))
    var examiner = CrashExaminer(
      self, commands, events, in: folder, goesOn: goesOn, resuming: resumption)
    return try examiner.examine(until: deadline, willOpen: willOpen)
  }

  // MARK: - Recording

  /// The number of a mark: a command's index, doubled, and one more when it has returned.
  enum Mark {
    static func begun(_ command: Int) -> Int { command * 2 }
    static func acknowledged(_ command: Int) -> Int { command * 2 + 1 }
  }

  /// Runs the commands on a subject in an empty folder, and checks that the recording leads to its
  /// files.
  private func record(_ commands: [Spec.Command], in folder: String) throws -> [FileEvent] {
    let events = try FileRecorder.recording(folder) {
      try runBlocking { try await perform(commands, in: folder) }
    }
    var recorded = RecordedFolder(exempting: reopenable.exemptions)
    for event in events { try recorded.apply(event) }
    try recorded.verify(isEqualTo: folder)
    return events
  }

  private func perform(_ commands: [Spec.Command], in folder: String) async throws {
    do {
      try await reopenable.withSubject(in: URL(fileURLWithPath: folder, isDirectory: true)) {
        subject in
        var state = specification.initialState
        for (index, command) in commands.enumerated() {
          FileRecorder.mark(Mark.begun(index))
          let response = try await specification.perform(command, on: subject)
          FileRecorder.mark(Mark.acknowledged(index))
          let expected = specification.apply(command, to: &state)
          guard response == expected else {
            throw CrashExplorationError(
              .subjectFailed,
              "command \(index + 1), \(command), gave \(response), expected \(expected), without any "
                + "crash; explore(_:on:) finds such failures")
          }
        }
      }
    } catch let error as CrashExplorationError {
      throw error
    } catch {
      throw CrashExplorationError(.subjectFailed, "the subject threw without any crash: \(error)")
    }
  }
}

/// How far a trial has come when it opens an image.
struct CrashProgress: Codable {
  /// The number of the image, from 1.
  var image: Int
  var coverage: CrashCoverage
  /// A finding that counts if nothing worse is found.
  var stuck: CrashFinding?
}

/// An image that ended or blocked the process that opened it, which is known.
struct EndedImage: Codable {
  var kind: CrashFinding.Kind
  var found: String

  /// Makes a finding that of the image.
  func describe(in finding: inout CrashFinding) {
    finding.kind = kind
    finding.found = found
    finding.expected = ["the subject to open"]
  }
}

/// Where another process goes on with a trial, since the one before has ended.
struct CrashResumption: Codable {
  /// How far the process before had come.
  var progress: CrashProgress
  /// The images that are not opened again, by their numbers.
  var ended: [Int: EndedImage]
}
