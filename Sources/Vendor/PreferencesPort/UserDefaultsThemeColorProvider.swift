import Foundation
import SystemLocks

/// A theme colour in `UserDefaults`.
public final class UserDefaultsThemeColorProvider: ThemeColorProvider {
  private let defaults: Mutex<UserDefaults>
  private let key: String

  /// Opens the app's defaults or a suite.
  ///
  /// Returns `nil` if `UserDefaults` refuses the suite name: the app's bundle identifier or the
  /// global domain.
  ///
  /// - Parameters:
  ///   - suiteName: The suite, or `nil` for the app's standard defaults.
  ///   - key: The key of the colour.
  public init?(suiteName: String? = nil, key: String = "themeColor") {
    guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
    self.defaults = Mutex(defaults)
    self.key = key
  }

  public func themeColor() throws(UnreadableThemeColorError) -> ThemeColor? {
    let found: Result<String?, UnreadableThemeColorError> = defaults.withLock { defaults in
      switch defaults.object(forKey: key) {
      case nil: .success(nil)
      case let text as String: .success(text)
      case let other?: .failure(UnreadableThemeColorError(found: "\(type(of: other))"))
      }
    }
    return try ThemeColor(stored: found.get())
  }

  public func setThemeColor(_ color: ThemeColor?) {
    defaults.withLock { $0.set(color?.description, forKey: key) }
  }
}
