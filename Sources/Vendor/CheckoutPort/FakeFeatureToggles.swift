import SystemLocks

/// Toggles in memory, for tests and previews.
public final class FakeFeatureToggles: FeatureToggles {
  private let enabled: Mutex<Set<FeatureToggle>>

  /// Creates toggles with the given ones on and all others off.
  public init(enabled: FeatureToggle...) { self.enabled = Mutex(Set(enabled)) }

  public func isEnabled(_ toggle: FeatureToggle) -> Bool {
    enabled.withLock { $0.contains(toggle) }
  }

  /// Turns a feature on or off.
  public func set(_ toggle: FeatureToggle, _ isEnabled: Bool) {
    enabled.withLock { enabled in
      if isEnabled { enabled.insert(toggle) } else { enabled.remove(toggle) }
    }
  }
}
