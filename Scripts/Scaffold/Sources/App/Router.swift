import Foundation

/// Shows the screens of an app.
@MainActor
public protocol Router: AnyObject {
  /// The screens on the stack, the first at the bottom.
  var path: [Screen] { get set }
  var title: String? { get }
  /// Shows a screen above the others.
  func push(_ screen: Screen, animated: Bool)
  func pop() -> Screen?
  /// Asks the user, and returns the answer.
  func confirm(_ question: String, default answer: Bool) async throws(CancellationError) -> Bool
  func present(_ screen: Screen, completion: (() -> Void)?)
  nonisolated func open(_ url: URL) async -> Bool
}

public enum Screen: Hashable, Codable, Sendable {
  case home
  case song(id: Int)
}
