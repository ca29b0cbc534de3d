import Foundation
import ManualClocks
import Testing

@testable import ExpiringStorePort

/// What only the fake and the port's values have. The contract checks the rest.
@Suite struct InMemoryExpiringStoreTests {
  @Test
  func `expired values leave the memory at 64 values more than twice those that stayed last time`()
    async throws
  {
    let clock = ManualClock()
    let store = InMemoryExpiringStore { clock.now.offset }
    func fill(_ name: String, _ count: Int) async throws {
      for number in 0..<count {
        try await store.set("\(name) \(number)", to: [1], lasting: .seconds(1))
      }
    }
    for (name, count, left) in [("a", 63, 1), ("b", 64, 2), ("c", 65, 3)] {
      try await fill(name, count)
      clock.advance(by: .seconds(1))
      #expect(store.storedCount == count + left - 1)
      try await store.set("kept \(left - 1)", to: [1], lasting: nil)
      #expect(store.storedCount == left)
    }
    #expect(try await store.value(of: "kept 0") == [1])
    #expect(store.maximumValueSize == 8_388_608)
  }

  @Test func `a store that fails says why`() async throws {
    let store = InMemoryExpiringStore()
    store.fail(because: "the disk is gone")
    let error = await #expect(throws: ExpiringStoreError.self) {
      try await store.set("key", to: [], lasting: nil)
    }
    #expect(error == .unavailable(reason: "the disk is gone"))
    #expect(try #require(error).description.contains("the disk is gone"))
  }

  @Test func `each error names its key`() {
    let errors: [(ExpiringStoreError, String)] = [
      (.exists(key: "k"), "the key 'k' has a value"),
      (.invalidLifetime(key: "k", .zero), "the lifetime 0.0 seconds for the key 'k'"),
      (.valueTooLarge(key: "k", size: 9, limit: 8), "'k' has 9 bytes, and the store takes 8"),
      (.wrongType(key: "k", expected: "Int"), "the key 'k' is no Int"),
      (.notEncodable(key: "k", reason: "because"), "'k' cannot be encoded: because"),
    ]
    for (error, text) in errors { #expect(error.description.contains(text)) }
  }

  @Test func `the system's clock counts from 1970`() {
    let difference = StoreTime.system() - .seconds(Date().timeIntervalSince1970)
    #expect(abs(difference / .milliseconds(1)) < 50)
    #expect((0..<9).contains { _ in StoreTime.system().components.attoseconds != 0 })
  }

  @Test func `times that do not fit into nanoseconds are the nearest`() {
    #expect(StoreTime.nanoseconds(.nanoseconds(-7)) == -7)
    #expect(StoreTime.nanoseconds(.nanoseconds(999_999_999)) == 999_999_999)
    #expect(StoreTime.nanoseconds(.seconds(2) + .nanoseconds(3)) == 2_000_000_003)
    #expect(StoreTime.nanoseconds(.seconds(Int64.max)) == .max)
    #expect(StoreTime.nanoseconds(.seconds(-9_300_000_000)) == .min)
    #expect(StoreTime.nanoseconds(.nanoseconds(Int64.max)) == .max)
    #expect(StoreTime.nanoseconds(.nanoseconds(Int64.max) + .nanoseconds(1)) == .max)
  }

  @Test func `only lifetimes of tens of thousands of years have no end`() {
    #expect(StoreTime.end(of: nil, at: .zero) == nil)
    #expect(StoreTime.end(of: .seconds(5), at: .seconds(1)) == .seconds(6))
    #expect(StoreTime.end(of: .seconds(999_999_999_999), at: .zero) == .seconds(999_999_999_999))
    #expect(StoreTime.end(of: .seconds(1_000_000_000_000), at: .zero) == nil)
  }
}
