import Foundation
import Testing

@testable import ContractMutation

@Suite struct ViableMutantsTests {
  @Test func `all mutants of everyday code compile together`() throws {
    let source = try TypedSource(
      #"""
      import Foundation
      enum Failure: Error { case empty, short(Int) }
      public struct Store: Sendable {
        public private(set) var items: [String: Int] = [:]
        public var limit = 3
        static let names = ["a", "b"]
        @inlinable public static func clamp(_ n: Int, to m: Int = 10) -> Int { min(max(n, 0), m) }
        public init(limit: Int = 5) { self.limit = limit }
        mutating func add(_ name: String, _ count: Int) throws -> Bool {
          guard !name.isEmpty, count > 0 else { throw Failure.empty }
          if items.count >= limit, let first = items.keys.min() { items[first] = nil }
          items[name, default: 0] += count
          defer { limit &+= 1 }
          for (index, key) in items.keys.sorted().enumerated() where index > 1 && key != name {
            if key.hasPrefix("x") { continue }
            items.removeValue(forKey: key)
          }
          return items[name].map { $0 > 1 } ?? false
        }
        func load(_ text: String?) async throws -> [Int] {
          let parts = try await parse(text ?? "", max: items.count - 1)
          return parts.filter { $0 != 0 && $0 <= limit }.map { $0 * 2 + 1 }
        }
        func parse(_ text: String, max: Int) async throws -> [Int] {
          var result: [Int] = []
          var rest = text.utf8[...]
          while let byte = rest.first, byte != 0x20 {
            result.append(Int(byte &- 48))
            rest = rest.dropFirst()
          }
          let kind: String = switch result.count { case 0: "none"; case 1: "one"; default: "many" }
          do { try check(kind, result.count < max) } catch Failure.empty { return [] } catch {
            result = []
          }
          return result
        }
        func check(_ kind: String, _ isShort: Bool) throws {
          if isShort || kind == "none" && limit == 1 { throw Failure.short(kind.count) }
        }
        var isFull: Bool { items.count == limit }
        var nearest: String? { items.keys.first { $0.count > 2 }?.lowercased() }
      }
      """#)
    defer { source.remove() }
    #expect(source.module.mutants.count > 90)
    let unviable = try source.unviable()
    #expect(unviable == [])
  }

  @Test func `mutants that do not compile are found, and no other is dropped`() throws {
    // The literal's replacement is no value of the type, which only the compiler knows.
    let source = try TypedSource(
      """
      struct Even: ExpressibleByIntegerLiteral, Equatable {
        init(integerLiteral value: Int) {}
        static func < (a: Even, b: Even) -> Bool { a == b }
      }
      func f(a: Even, n: Int) -> Bool { a < 4 || n < 5 }
      """)
    defer { source.remove() }
    #expect(
      try source.unviable().sorted() == [
        "comparison: a < 4 → a <= 4", "comparison: a < 4 → a >= 4",
      ])
  }

  @Test func `a mutant is not left out because of another one in its function`() throws {
    // If the loop had an end, the closure would need a result there: an error about its last line.
    let source = try TypedSource(
      """
      func retry(_ times: Int, _ work: @escaping () throws -> Int) -> Int {
        let attempt: (Int) -> Int = { times in
          var left = times
          while true {
            do { return try work() } catch where left > 0 { left -= 1 } catch { return left }
          }
        }
        return attempt(times)
      }
      """)
    defer { source.remove() }
    #expect(source.module.mutants.count > 8)
    #expect(try source.unviable() == ["boolean: true → false"])
  }

  @Test func `without mutants the woven text is the original`() throws {
    let text = "func f(n: Int) -> Bool { n > 1 && n < 3 }\n"
    let source = try TypedSource(text)
    defer { source.remove() }
    #expect(source.module.woven(numbers: [:])["Sample.swift"]?.text == text)
  }
}
