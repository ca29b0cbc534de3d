public import ContractExploration
public import ContractTesting
public import PreferencesPort

/// The theme's colour as a specification: it finds what no clause names.
///
/// ```swift
/// try await explore(.themeColor(stored: "teal"), on: Implementation.mine.storing("teal"))
/// ```
public struct ThemeColorSpecification: Specification {
  /// What is in the colour's place at first: a text that is a colour or not, or nothing.
  public var stored: String?

  /// One call on the provider.
  public enum Command: Hashable, Sendable, Codable {
    /// Asks for the colour.
    case themeColor
    /// Chooses a colour in the form `#rrggbb`, or none.
    case choose(String?)
  }

  /// What a call gives back.
  public enum Response: Hashable, Sendable {
    /// Nothing to tell.
    case done
    /// The colour, or none.
    case color(ThemeColor?)
    /// The text in the colour's place is none.
    case unreadable(String)
  }

  public var initialState: String? { stored }

  /// The colour's place with this in it at first.
  public init(stored: String? = nil) { self.stored = stored }

  public var source: String {
    "ThemeColorSpecification(stored: \(stored?.debugDescription ?? "nil"))"
  }

  public var kinds: [String] { ["themeColor", "choose"] }

  public func command(from choices: inout Choices, in state: String?) -> Command {
    switch choices.rule(weights: [3, 3, 1]) {
    case 0: .themeColor
    case 1:
      .choose(
        choices.element(of: ["#000000", "#ffffff", "#008080", "#0a0b0c", "#7f0080"])
          ?? "#000000")
    default: .choose(nil)
    }
  }

  public func apply(_ command: Command, to state: inout String?) -> Response {
    switch command {
    case .themeColor:
      guard let text = state else { return .color(nil) }
      return ThemeColor(text).map { .color($0) } ?? .unreadable(text)
    case .choose(let text):
      state = text
      return .done
    }
  }

  public func perform(
    _ command: Command, on subject: any ThemeColorProvider
  ) async throws -> Response {
    switch command {
    case .themeColor:
      do throws(UnreadableThemeColorError) {
        return .color(try subject.themeColor())
      } catch {
        return .unreadable(error.found)
      }
    case .choose(let text):
      subject.setThemeColor(text.flatMap { ThemeColor($0) })
      return .done
    }
  }

  public func isReadOnly(_ command: Command) -> Bool { command == .themeColor }
}

extension Specification where Self == ThemeColorSpecification {
  /// The theme's colour, from what is in its place at first.
  public static func themeColor(stored text: String? = nil) -> ThemeColorSpecification {
    ThemeColorSpecification(stored: text)
  }
}

extension Implementation<ThemeColorFixture> {
  /// The same implementation, opened where a text lies in the colour's place, or nothing.
  public func storing(_ text: String?) -> Implementation<any ThemeColorProvider> {
    map { open in try open(text) }
  }
}

extension ThemeColorSpecification.Command: CustomStringConvertible {
  /// The command as it is written in Swift, without the dot.
  public var description: String {
    switch self {
    case .themeColor: "themeColor"
    case .choose(let text): "choose(\(text?.debugDescription ?? "nil"))"
    }
  }
}
