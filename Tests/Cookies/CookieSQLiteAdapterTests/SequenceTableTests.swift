import Testing

@testable import CookieSQLiteAdapter

/// Compares the hash table of accesses with a dictionary.
@Suite struct SequenceTableTests {
  @Test func `it behaves like a dictionary under random operations`() {
    var table = SequenceTable<Int>()
    var dictionary: [Int64: Int] = [:]
    var random = SystemRandomNumberGenerator()
    for step in 0..<20_000 {
      let key = Int64.random(in: -300...300, using: &random)
      switch Int.random(in: 0..<1000, using: &random) {
      case 0:
        table.removeAll()
        dictionary.removeAll()
      case 1..<400:
        table[key] = nil
        dictionary[key] = nil
      default:
        table[key] = step
        dictionary[key] = step
      }
      #expect(table.count == dictionary.count)
      #expect(table[key] == dictionary[key])
    }
    for key in Int64(-301)...301 { #expect(table[key] == dictionary[key]) }
  }

  @Test func `colliding keys are distinguished`() {
    // With this factor only the highest bits of a key matter, which are 0 for all of these keys.
    var table = SequenceTable<Int>(factor: 1)
    let keys = (0..<500).map { Int64($0) }
    for (value, key) in keys.enumerated() { table[key] = value }
    #expect(table.count == 500)
    #expect(keys.map { table[$0] } == Array(0..<500))
  }

  @Test func `an empty table has no values, and removing does nothing`() {
    var table = SequenceTable<Int>()
    #expect(table[1] == nil)
    table[1] = nil
    #expect(table.isEmpty)
  }
}
