import Foundation
import PreferencesPort
import Testing

@Suite final class UserDefaultsThemeColorProviderTests {
  private let suite = "theme-color-\(UUID().uuidString)"

  deinit {
    UserDefaults(suiteName: suite)?.removePersistentDomain(forName: suite)
    let folder =
      ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? NSHomeDirectory() + "/.config"
    try? FileManager.default.removeItem(atPath: "\(folder)/\(suite).plist")
  }

  @Test func `a value that is not a string is an error that names its type`() throws {
    let provider = try #require(UserDefaultsThemeColorProvider(suiteName: suite))
    let values: [Any] = [7, true, 1.5, Data([1]), ["#008080"], ["color": "#008080"], Date()]
    for value in values {
      let defaults = UserDefaults(suiteName: suite)
      defaults?.set(value, forKey: "themeColor")
      _ = defaults?.synchronize()
      let error = #expect(throws: UnreadableThemeColorError.self, "\(value)") {
        try provider.themeColor()
      }
      #expect(error?.found.isEmpty == false)
    }
    provider.setThemeColor(ThemeColor(red: 0, green: 128, blue: 128))
    #expect(try provider.themeColor() == ThemeColor("#008080"))
  }

  @Test func `a colour is stored under its key after the provider is deallocated`() throws {
    let first = try #require(UserDefaultsThemeColorProvider(suiteName: suite, key: "accent"))
    first.setThemeColor(ThemeColor("#010203"))
    let second = try #require(UserDefaultsThemeColorProvider(suiteName: suite, key: "accent"))
    #expect(try second.themeColor() == ThemeColor("#010203"))
    let other = try #require(UserDefaultsThemeColorProvider(suiteName: suite))
    #expect(try other.themeColor() == nil)
  }
}
