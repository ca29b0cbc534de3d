/// A crash after which a subject does not have what its implementation promises.
struct CrashFinding: Sendable, Codable {
  /// What is wrong after the crash.
  enum Kind: String, Sendable, Codable {
    /// The state is that after fewer commands than the promise allows.
    case lost
    /// The state is that after no prefix of the commands.
    case mixed
    /// Opening or reading the subject fails.
    case unreadable
    /// The reopened subject fails: its next commands fail, or don't survive closing it.
    case stuck
    /// Opening or reading the subject ends the process.
    case endedProcess
    /// Opening or reading the subject takes too long.
    case hung

    /// Whether the failure may appear only when the reopened subject performs further commands.
    var isFoundByGoingOn: Bool { self == .stuck || self == .endedProcess || self == .hung }
  }

  /// When a crash happens.
  struct Point: Sendable, Codable {
    /// The event after which it happens.
    var event: String
    /// The number of the event, from 1, and the number of all.
    var number: Int
    var count: Int
    /// The number of commands that have returned.
    var acknowledged: Int
    /// The number of commands that have begun, the acknowledged ones included.
    var begun: Int
  }

  var kind: Kind
  var point: Point
  /// The event of the reopening after which a second crash happens; `nil` if there is only one.
  var recovery: String?
  var mode: CrashMode
  /// Whether everything that the mode allows is tried at the point.
  var isExhaustive: Bool
  /// What the promise allows, one line each.
  var expected: [String] = []
  /// What was read, or the failure.
  var found = ""
  /// The number of commands that what was read corresponds to, if the kind is `lost`.
  var survived: Int?

  /// The index of the last command that was performed after reopening.
  var lastPerformed: Int?

  /// The index of the last command that the finding needs, or -1.
  var step: Int { max(point.begun - 1, lastPerformed ?? -1) }

  /// What was promised and what happened, in one sentence.
  var summary: String {
    let loss =
      switch kind {
      case .lost:
        "\(point.acknowledged) command\(point.acknowledged == 1 ? "" : "s") had returned, and the "
          + "reopened subject has the state after \(survived ?? 0)"
      case .mixed: "the reopened subject has the state after no number of commands"
      case .stuck: "the reopened subject does not go on"
      case .unreadable: "the subject can't be reopened and read"
      case .endedProcess: "reopening or reading the subject ends the process"
      case .hung: "reopening or reading the subject does not end"
      }
    return "after a \(mode)\(recovery == nil ? "" : ", and another while it was reopened"): \(loss)"
  }
}

/// How much of the crash points was examined.
struct CrashCoverage: Sendable, Codable, Equatable {
  /// The commands recorded.
  var commands = 0
  /// The recorded calls that change or synchronize files.
  var calls = 0
  /// The points at which a crash was examined, after each call and each return of a command.
  var points = 0
  /// The points that a limit left out.
  var pointsLeftOut = 0
  /// The points of reopenings at which a second crash was examined.
  var pointsOfRecovery = 0
  /// The images of the folder, one or more for each point and mode.
  var images = 0
  /// The images that were opened; the others are equal to one of these.
  var opened = 0
  /// The points at which not every combination of lost writes or sectors was tried, because there are many.
  var pointsNotExhausted = 0
  /// The exempt files that there were, with the reasons.
  var exempted: Set<String> = []
  /// The number of crashes after which the subject has a known finding, by its reason.
  var deviations: [String: Int] = [:]

  static func += (one: inout Self, other: Self) {
    one.commands += other.commands
    one.calls += other.calls
    one.points += other.points
    one.pointsLeftOut += other.pointsLeftOut
    one.pointsOfRecovery += other.pointsOfRecovery
    one.images += other.images
    one.opened += other.opened
    one.pointsNotExhausted += other.pointsNotExhausted
    one.exempted.formUnion(other.exempted)
    one.deviations.merge(other.deviations, uniquingKeysWith: +)
  }
}

extension CrashCoverage: CustomStringConvertible {
  var description: String {
    let text =
      "\(commands) commands, \(calls) recorded calls, \(points) crash points, "
      + (pointsOfRecovery > 0 ? "\(pointsOfRecovery) while reopening, " : "")
      + "\(images) images, of which \(opened) differ and were opened"
    var remarks = [
      pointsNotExhausted == 0
        ? "every combination of damages was tried"
        : "at \(pointsNotExhausted) crash points not every combination of damages was tried"
    ]
    if pointsLeftOut > 0 {
      remarks.append("the time limit left out \(pointsLeftOut) crash points")
    }
    if !exempted.isEmpty { remarks.append("exempt: \(exempted.sorted().joined(separator: ", "))") }
    remarks += deviations.sorted { $0.key < $1.key }.map { "\($1) crashes deviate: \($0)" }
    return ([text] + remarks).joined(separator: "; ")
  }
}
