import SystemLocks

/// A theme colour in memory, for tests and previews.
public final class InMemoryThemeColorProvider: ThemeColorProvider {
  private let text: Mutex<String?>

  /// Creates a provider over a stored text, which need not be a valid colour.
  public init(stored text: String? = nil) { self.text = Mutex(text) }

  public func themeColor() throws(UnreadableThemeColorError) -> ThemeColor? {
    try ThemeColor(stored: text.withLock(\.self))
  }

  public func setThemeColor(_ color: ThemeColor?) {
    text.withLock { $0 = color?.description }
  }
}
