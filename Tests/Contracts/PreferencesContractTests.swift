import ContractTesting
import DriftExploration
import Foundation
import PreferencesContract
import PreferencesPort
import Testing

@Suite struct PreferencesContractTests {
  @Test(
    arguments: Contract.themeColor.cases(for: .inMemory, .userDefaults)
      + Contract.themeColor.saboteurCases)
  func holds(_ contractCase: ContractCase<ThemeColorFixture>) async throws {
    try await contractCase.verify()
  }
}

@Suite struct PreferencesExplorationTests {
  @Test func `the fake answers as UserDefaults do`() async throws {
    let texts = Domain<String?>.of(nil, "#008080", "#00FF7f", "teal", "", "#+08080", "008080x")
    let colors = Domain<ThemeColor?>.of(
      nil, ThemeColor(red: 0, green: 128, blue: 255), ThemeColor(red: 15, green: 16, blue: 1))
    try await exploreDrift(of: .inMemory, from: .userDefaults, settings: .drift(time: .seconds(1)))
    {
      Operation("stored", texts) { open, text in try open(text).themeColor() }
      Operation("set", texts, colors) { open, text, color in
        let provider = try open(text)
        provider.setThemeColor(color)
        return try provider.themeColor()
      }
    }
  }
}

extension Implementation<ThemeColorFixture> {
  static let inMemory: Self = fake("in-memory") {
    { InMemoryThemeColorProvider(stored: $0) }
  }

  static let userDefaults: Self = live("user-defaults") { scope in
    { text in
      let suite = DefaultsSuite()
      scope.onTearDown { try suite.remove() }
      suite.set(text, forKey: "themeColor")
      return try #require(UserDefaultsThemeColorProvider(suiteName: suite.name))
    }
  }
  .version { _ in AdaptedVersion.foundation }
}

/// A suite of `UserDefaults` with a unique name.
struct DefaultsSuite: Sendable {
  let name = "contract-\(UUID().uuidString)"

  func set(_ value: Any?, forKey key: String) {
    let defaults = UserDefaults(suiteName: name)
    defaults?.set(value, forKey: key)
    _ = defaults?.synchronize()
  }

  /// Removes the suite, and the file that Foundation keeps for it on Linux.
  func remove() throws {
    UserDefaults(suiteName: name)?.removePersistentDomain(forName: name)
    let folder = URL(
      fileURLWithPath: ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"]
        ?? NSHomeDirectory() + "/.config")
    let file = folder.appendingPathComponent("\(name).plist")
    if FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
  }
}
