import SystemFibers
import Testing

@testable import ExplorationEngine

extension Trait where Self == ConditionTrait {
  /// Runs a test only where explorations observe the whole runtime: not in the portable build, on
  /// other systems, or under a sanitizer. ``UnobservedRuntimeTests`` runs there.
  static var onObservedRuntime: Self {
    .enabled(
      if: Fiber.isAvailable, "explorations are never exhaustive: \(Fiber.unavailability ?? "")")
  }
}
