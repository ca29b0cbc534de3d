public import ContractTesting
public import PreferencesPort
import Testing

/// Opens a provider over a stored text, or over an empty store if the text is `nil`.
public typealias ThemeColorFixture = @Sendable (_ stored: String?) throws -> any ThemeColorProvider

extension Contract<ThemeColorFixture> {
  /// The behaviour of every theme colour provider.
  public static let themeColor: Self = Contract(
    "theme-color", "Theme colour", leavesOthersToMutants: true
  ) {
    Clause("none-at-first", "there is no colour before one is set") { open in
      let color = try open(nil).themeColor()
      #expect(color == nil)
    }
    Clause("remembers", "the colour is the one that was set last") { open in
      let provider = try open(nil)
      for color in [ThemeColor.black, .white, .teal] {
        provider.setThemeColor(color)
        #expect(try provider.themeColor() == color)
      }
    }
    Clause("forgets", "setting nil removes the colour") { open in
      let provider = try open("#008080")
      #expect(try provider.themeColor() == .teal)
      provider.setThemeColor(nil)
      #expect(try provider.themeColor() == nil)
    }
    Clause("unreadable", "a stored text that is not a colour is an error until a colour is set") {
      open in
      for text in [
        "", "teal", "008080", "?008080", "#08", "#00808", "#+08080", "#-00000", "#0080800",
        "#00808\u{e9}",
      ] {
        let provider = try open(text)
        #expect(throws: UnreadableThemeColorError(found: text)) { try provider.themeColor() }
        provider.setThemeColor(.teal)
        #expect(try provider.themeColor() == .teal, "the provider did not recover from '\(text)'")
      }
    }
  } saboteurs: {
    Saboteur("has-favourite", "has a colour before one is set", caughtBy: "none-at-first") {
      { @Sendable text in Sabotaged(stored: text, default: .teal) }
    }
    Saboteur("write-once", "keeps the first colour", caughtBy: "remembers") {
      { @Sendable text in Sabotaged(stored: text, isWriteOnce: true) }
    }
    Saboteur("clings", "cannot remove a colour", caughtBy: "forgets") {
      { @Sendable text in Sabotaged(stored: text, canForget: false) }
    }
    Saboteur("shrugs", "treats a corrupt text as no colour", caughtBy: "unreadable") {
      { @Sendable text in Sabotaged(stored: text.flatMap { ThemeColor($0)?.description }) }
    }
  }
}

extension ThemeColor {
  fileprivate static let black = ThemeColor(red: 0, green: 0, blue: 0)
  fileprivate static let white = ThemeColor(red: 255, green: 255, blue: 255)
  fileprivate static let teal = ThemeColor(red: 0, green: 128, blue: 128)
}

/// A provider with one flaw.
private struct Sabotaged: ThemeColorProvider {
  private let memory: InMemoryThemeColorProvider
  private let fallback: ThemeColor?
  private let isWriteOnce: Bool
  private let canForget: Bool

  init(
    stored text: String?, default fallback: ThemeColor? = nil, isWriteOnce: Bool = false,
    canForget: Bool = true
  ) {
    memory = InMemoryThemeColorProvider(stored: text)
    self.fallback = fallback
    self.isWriteOnce = isWriteOnce
    self.canForget = canForget
  }

  func themeColor() throws(UnreadableThemeColorError) -> ThemeColor? {
    try memory.themeColor() ?? fallback
  }

  func setThemeColor(_ color: ThemeColor?) {
    if color == nil, !canForget { return }
    if isWriteOnce, (try? memory.themeColor()) != nil { return }
    memory.setThemeColor(color)
  }
}
