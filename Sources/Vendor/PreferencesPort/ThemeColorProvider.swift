/// A place that remembers the theme's colour.
///
/// Every implementation promises the clauses of `PreferencesContract`.
public protocol ThemeColorProvider: Sendable {
  /// The colour that was chosen last, or `nil` when none is.
  ///
  /// - Throws: ``UnreadableThemeColorError`` when something else is in the colour's place.
  func themeColor() throws(UnreadableThemeColorError) -> ThemeColor?

  /// Chooses a colour, or none with `nil`, whatever was there before.
  func setThemeColor(_ color: ThemeColor?)
}

/// Something that is no colour, found in the colour's place.
public struct UnreadableThemeColorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found: the text, or the type of what is no text.
  public let found: String

  /// Reports what was found.
  public init(found: String) { self.found = found }

  public var description: String {
    "'\(found)' is no colour of the form #rrggbb: choose a colour to replace it"
  }
}

extension ThemeColor {
  /// The colour in a stored text, where there is one.
  init?(stored text: String?) throws(UnreadableThemeColorError) {
    guard let text else { return nil }
    guard let color = ThemeColor(text) else { throw UnreadableThemeColorError(found: text) }
    self = color
  }
}
