import Foundation

/// Prices as they change. An app subscribes to it with a closure or a sequence.
protocol PriceFeed: AnyObject, Sendable {
  /// The prices of a symbol from now on.
  func prices(of symbol: String) -> AsyncStream<Price>

  /// All prices. The sequence ends when the feed closes.
  func allPrices() async throws -> any AsyncSequence<Price, any Error>

  /// Calls a closure with each price until the token is released.
  func observe(
    _ symbols: [String], /* on any task */ onChange: @escaping @Sendable (Price, _ isLast: Bool) async -> Void
  ) throws -> ObservationToken

  /// Runs a closure while no price changes.
  func withPausedUpdates<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value

  func lastPrice(of symbol: String) -> Price?
  func lastPrice(of symbol: String, before date: Date) throws -> Price?
  func close() async
}

struct Price: Equatable, Codable {
  var symbol: String
  var cents: Int
  var date: Date
}

final class ObservationToken: Sendable {}
