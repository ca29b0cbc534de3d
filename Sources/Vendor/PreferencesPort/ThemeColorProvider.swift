/// Stores the colour of the app's theme.
///
/// Every implementation satisfies `Contract.themeColor`.
public protocol ThemeColorProvider: Sendable {
  /// The stored colour, or `nil` if none is stored.
  ///
  /// - Throws: ``UnreadableThemeColorError`` if the stored value is not a colour.
  func themeColor() throws(UnreadableThemeColorError) -> ThemeColor?

  /// Replaces the stored value with a colour, or removes it if the colour is `nil`.
  func setThemeColor(_ color: ThemeColor?)
}

/// The stored theme colour is not a colour.
public struct UnreadableThemeColorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stored text, or the type of the stored value if it is not a string.
  public let found: String

  /// Creates an error for a stored value.
  public init(found: String) { self.found = found }

  public var description: String {
    "the stored theme colour '\(found)' does not have the form #rrggbb; set a colour to replace it"
  }
}

extension ThemeColor {
  /// Parses a stored text, if there is one.
  init?(stored text: String?) throws(UnreadableThemeColorError) {
    guard let text else { return nil }
    guard let color = ThemeColor(text) else { throw UnreadableThemeColorError(found: text) }
    self = color
  }
}
