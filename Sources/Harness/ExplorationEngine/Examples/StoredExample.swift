import Foundation
import HarnessSupport

/// The content of an example file.
package struct StoredExample: ExampleContent {
  /// The commands' descriptions.
  package var commands: [String]
  /// The choices from which the commands are drawn; they become stale when the generator changes.
  package var choices: ChoiceSequence
  /// The commands as JSON, if they are `Codable`; a changed generator does not affect them.
  package var encodedCommands: [String]?
  /// The seed of the run that failed.
  package var seed: UInt64?
  /// The description of the failure.
  package var failure: String
  /// Whether the commands ended a process.
  package var endedProcess: Bool?
  /// The digest of `commands`.
  package var digest: String

  package init(
    commands: [String], choices: ChoiceSequence, encodedCommands: [String]?, seed: UInt64?,
    failure: String, endedProcess: Bool?
  ) {
    self.commands = commands
    self.choices = choices
    self.encodedCommands = encodedCommands
    self.seed = seed
    self.failure = failure
    self.endedProcess = endedProcess
    digest = ""
    digest = commandDigest
  }

  /// The digest of the commands in the file.
  package var commandDigest: String { Self.digest(of: commands) }

  package static func digest(of lines: [String]) -> String {
    var fingerprint = Fingerprint()
    fingerprint.add(lines.joined(separator: "\n"))
    return fingerprint.hexadecimal
  }
}

/// Writes commands to JSON and reads them.
package struct CommandCoding<Command: Sendable>: Sendable {
  private let encodeOne: @Sendable (Command) -> String?
  private let decodeOne: @Sendable (String) -> Command?

  package init() where Command: Codable {
    self.init(known: Command.self)
  }

  /// The coding of commands whose type may be `Codable`; `nil` if it is not.
  package init?(ifCodable: Command.Type) {
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
  package func encode(_ commands: [Command]) -> [String]? {
    let encoded = commands.compactMap(encodeOne)
    return encoded.count == commands.count ? encoded : nil
  }

  /// The commands, or `nil` if one can no longer be decoded.
  package func decode(_ encoded: [String]) -> [Command]? {
    let commands = encoded.compactMap(decodeOne)
    return commands.count == encoded.count ? commands : nil
  }
}
