public import ContractExploration
public import ContractTesting
public import PreferencesPort

/// A specification of theme colour providers. It finds differences that no clause covers.
///
/// ```swift
/// try await explore(.themeColor(stored: "teal"), on: Implementation.mine.storing("teal"))
/// ```
public struct ThemeColorSpecification: Specification {
  /// The text that is stored at first, which need not be a colour, or `nil`.
  public var stored: String?

  /// A call of the provider.
  public enum Command: Hashable, Sendable, Codable {
    /// Returns the colour.
    case themeColor
    /// Sets a colour in the form `#rrggbb`, or removes it.
    case choose(String?)
  }

  /// The result of a command.
  public enum Response: Hashable, Sendable {
    /// No result.
    case done
    /// The colour, or `nil`.
    case color(ThemeColor?)
    /// The stored text is not a colour.
    case unreadable(String)
  }

  public var initialState: String? { stored }

  /// Creates a specification with an initially stored text.
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
  /// A theme colour provider with an initially stored text.
  public static func themeColor(stored text: String? = nil) -> ThemeColorSpecification {
    ThemeColorSpecification(stored: text)
  }
}

extension Implementation<ThemeColorFixture> {
  /// The implementation, opened over a stored text.
  public func storing(_ text: String?) -> Implementation<any ThemeColorProvider> {
    map { open in try open(text) }
  }
}

extension ThemeColorSpecification.Command: CustomStringConvertible {
  /// The command as Swift source, without the leading dot.
  public var description: String {
    switch self {
    case .themeColor: "themeColor"
    case .choose(let text): "choose(\(text?.debugDescription ?? "nil"))"
    }
  }
}
