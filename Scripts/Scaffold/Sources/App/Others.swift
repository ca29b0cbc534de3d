import Foundation

/// Counts what happens: a value that callers change.
protocol Tally {
  mutating func add(_ amount: Int)
  mutating func merge(_ other: Self)
  func total(in unit: Unit) -> Double
  func scaled(by factor: Double) -> Self
  var limit: Int { get set }
}

/// A session that isolates itself.
public protocol Session: Actor {
  func start(token: String) throws
  func ping() async -> Duration
  var isOpen: Bool { get }
  nonisolated var name: String { get }
}

/// A type whose other requirements are declared elsewhere.
protocol Ordered: Comparable, Sendable {
  func rank() throws -> Int
  func encode(into bytes: inout [UInt8], _ values: Int...) -> Int
}

/// Requirements that differ by system, and words that are keywords.
protocol Odd: Sendable {
  #if os(Linux)
    func linuxOnly()
  #endif
  func `repeat`(_ in: Int, for: String) -> Bool
}

/// Words that are keywords, or names that the scaffold uses itself.
protocol Awkward: Sendable {
  func `repeat`(_ model: Int, for base: String, flaws: Bool, in awkward: Int) throws(AwkwardError) -> Bool
  func `default`() -> (Int, name: String)
  func failed() -> Int
  func run(); func run(twice: Bool); func run(_ times: Int)
  static func == (lhs: Self, rhs: Self) -> Bool
  func evaluate(_ value: @autoclosure () -> Int, _ more: Int...) -> Int
  func fill(_ buffer: inout [UInt8]) throws -> Int
  func number(
    // The key.
    of key: String) -> [String: [Int?]]
  func any() -> any Error
  var state: Result<Int, AwkwardError> { get async }
}
enum AwkwardError: Error { case a, b(Int) }
