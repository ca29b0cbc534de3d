import SystemLocks

/// A theme colour in memory, for tests and previews.
public final class InMemoryThemeColorProvider: ThemeColorProvider {
  private let text: Mutex<String?>

  /// Makes a provider that finds this text in the colour's place, of the form `#rrggbb` or not.
  public init(stored text: String? = nil) { self.text = Mutex(text) }

  public func themeColor() throws(UnreadableThemeColorError) -> ThemeColor? {
    try ThemeColor(stored: text.withLock(\.self))
  }

  public func setThemeColor(_ color: ThemeColor?) {
    text.withLock { $0 = color?.description }
  }
}
