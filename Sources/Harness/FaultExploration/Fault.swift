internal import ExplorationEngine

/// Something that happens to the world of a subject while commands run: a killed server, a stopped
/// process, a cut connection.
///
///     static let kill = Fault<QueueFixture>("kill") { try await $0.server.restart() }
///     static let pause = Fault<QueueFixture>("pause") { $0.server.pause() } healing: {
///       $0.server.resume()
///     }
///
/// A fault without `healing` leaves a world in which calls succeed again. One with it lasts for some
/// calls. At the end of a run, each fault that still lasts is healed.
public struct Fault<Subject>: Sendable {
  /// The name of the constant that holds the fault, because printed tests refer to it:
  /// `cutReply`, or `cut-reply`.
  public let name: String

  /// How long it may take to strike, and to heal.
  public let limit: Duration

  let strike: @Sendable (Subject) async throws -> Void
  let heal: (@Sendable (Subject) async throws -> Void)?

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - name: The name of the constant that holds the fault.
  ///   - limit: How long it may take to strike, and to heal. Beyond it the run fails.
  ///   - strike: Makes it happen. An error fails the run.
  ///   - healing: Ends it, if it lasts.
  public init(
    _ name: String, within limit: Duration = .seconds(30),
    _ strike: @escaping @Sendable (Subject) async throws -> Void,
    healing: (@Sendable (Subject) async throws -> Void)? = nil
  ) {
    self.name = name
    self.limit = limit
    self.strike = strike
    heal = healing
  }

  /// The name in camel case, as Swift source has it.
  var identifier: String {
    let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return (words.first.map(String.init) ?? "fault") + rest.joined()
  }
}

/// A step of a run with faults.
public enum FaultStep<Command: Sendable, Subject>: Sendable {
  /// A client runs a command.
  case call(Command, by: Int = 0)
  /// A fault strikes.
  case fault(Fault<Subject>)
  /// A fault that lasts ends.
  case healing(Fault<Subject>)

  var isCall: Bool {
    if case .call = self { return true }
    return false
  }
}

/// An error of ``Specification/perform(_:on:)``: the call has no effect, now or later.
///
/// Throw it where that is certain, such as for a connection that was refused. After any other error
/// a call may have happened, may still happen, or may never.
public struct CallDidNotHappen: Error, CustomStringConvertible {
  /// Why it is certain.
  public let reason: String

  /// Creates the error.
  public init(_ reason: String) { self.reason = reason }

  public var description: String { "the call did not happen: \(reason)" }
}
