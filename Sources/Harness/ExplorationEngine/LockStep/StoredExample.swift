import Foundation
import HarnessSupport

/// A failing example as it lies on disk.
struct StoredExample: Codable, Sendable {
  /// The commands in words.
  var commands: [String]
  /// The choices that make the commands; they go stale when the generator changes.
  var choices: ChoiceSequence
  /// The commands as JSON, where they can be coded; they outlive the generator.
  var encodedCommands: [String]?
  /// The seed of the run in which it was found.
  var seed: UInt64?
  /// What went wrong, in words.
  var failure: String
  /// Whether the commands ended a process.
  var endedProcess: Bool?
  /// The digest of `commands`: the example's name, and a guard against edits by halves.
  var digest: String

  init<Spec: Specification>(
    _ failure: LockStepFailure<Spec>, coding: CommandCoding<Spec.Command>?
  ) {
    commands = failure.commands.map(\.description)
    choices = failure.choices
    encodedCommands = coding?.encode(failure.commands)
    seed = failure.seed
    self.failure = "\(failure.kind)"
    if case .endedProcess = failure.kind { endedProcess = true }
    digest = ""
    digest = commandDigest
  }

  /// The digest that the commands ought to have.
  var commandDigest: String { Self.digest(of: commands) }

  static func digest(of lines: [String]) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(lines.joined(separator: "\n"))
    return fingerprint.hexadecimal
  }
}

/// How commands are written to and read from JSON.
struct CommandCoding<Command: Sendable>: Sendable {
  private let encodeOne: @Sendable (Command) -> String?
  private let decodeOne: @Sendable (String) -> Command?

  init() where Command: Codable {
    encodeOne = { command in
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return (try? encoder.encode(command)).map { String(decoding: $0, as: UTF8.self) }
    }
    decodeOne = { try? JSONDecoder().decode(Command.self, from: Data($0.utf8)) }
  }

  /// The commands as JSON, or `nil` if one can't be encoded.
  func encode(_ commands: [Command]) -> [String]? {
    let encoded = commands.compactMap(encodeOne)
    return encoded.count == commands.count ? encoded : nil
  }

  /// The commands, or `nil` if some are not commands any more.
  func decode(_ encoded: [String]) -> [Command]? {
    let commands = encoded.compactMap(decodeOne)
    return commands.count == encoded.count ? commands : nil
  }
}
