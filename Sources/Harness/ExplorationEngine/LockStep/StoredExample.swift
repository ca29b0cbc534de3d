import Foundation
import HarnessSupport

/// The content of an example file.
struct StoredExample: ExampleContent {
  /// The commands' descriptions.
  var commands: [String]
  /// The choices from which the commands are drawn; they become stale when the generator changes.
  var choices: ChoiceSequence
  /// The commands as JSON, if they are `Codable`; a changed generator does not affect them.
  var encodedCommands: [String]?
  /// The seed of the run that failed.
  var seed: UInt64?
  /// The description of the failure.
  var failure: String
  /// Whether the commands ended a process.
  var endedProcess: Bool?
  /// The digest of `commands`.
  var digest: String

  init<Spec: Specification>(
    _ failure: LockStepFailure<Spec>, coding: CommandCoding<Spec.Command>?
  ) {
    commands = failure.commands.map(\.description)
    choices = failure.choices
    encodedCommands = coding?.encode(failure.commands)
    seed = failure.seed
    self.failure = "\(failure.kind)"
    if failure.kind.hasEndedProcess { endedProcess = true }
    digest = ""
    digest = commandDigest
  }

  /// The digest of the commands in the file.
  var commandDigest: String { Self.digest(of: commands) }

  static func digest(of lines: [String]) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(lines.joined(separator: "\n"))
    return fingerprint.hexadecimal
  }
}

/// Writes commands to JSON and reads them.
struct CommandCoding<Command: Sendable>: Sendable {
  private let encodeOne: @Sendable (Command) -> String?
  private let decodeOne: @Sendable (String) -> Command?

  init() where Command: Codable {
    self.init(known: Command.self)
  }

  /// The coding of commands whose type may be `Codable`; `nil` if it is not.
  init?(ifCodable: Command.Type) {
    guard Command.self is any Codable.Type else { return nil }
    self.init(known: Command.self)
  }

  private init(known: Command.Type) {
    encodeOne = { command in
      guard let command = command as? any Encodable else { return nil }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return (try? encoder.encode(command)).map { String(decoding: $0, as: UTF8.self) }
    }
    decodeOne = { text in
      guard let type = Command.self as? any Decodable.Type else { return nil }
      return (try? JSONDecoder().decode(type, from: Data(text.utf8))) as? Command
    }
  }

  /// The commands as JSON, or `nil` if one cannot be encoded.
  func encode(_ commands: [Command]) -> [String]? {
    let encoded = commands.compactMap(encodeOne)
    return encoded.count == commands.count ? encoded : nil
  }

  /// The commands, or `nil` if one can no longer be decoded.
  func decode(_ encoded: [String]) -> [Command]? {
    let commands = encoded.compactMap(decodeOne)
    return commands.count == encoded.count ? commands : nil
  }
}
