import HarnessSupport
import Testing

@Suite struct ShardTests {
  @Test(arguments: [1, 2, 3, 4, 7, 16], [0, 1, 5, 100, 289])
  func `shards are disjoint, complete and differ by at most one element`(count: Int, length: Int)
    throws
  {
    let list = Array(0..<length)
    var parts: [[Int]] = []
    for number in 1...count {
      parts.append(try #require(Shard(number, of: count)).part(of: list, named: "cookies"))
    }
    #expect(parts.flatMap(\.self).sorted() == list)
    let sizes = parts.map(\.count)
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
  }

  @Test func `lists of one element are spread over the shards`() throws {
    let shard = try #require(Shard(1, of: 4))
    let taken = (0..<400).count { !shard.part(of: [0], named: "contract-\($0)").isEmpty }
    #expect((60...140).contains(taken))
  }

  @Test(arguments: ["", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/4", "1/ 4"])
  func `an invalid shard is rejected`(text: String) {
    let error = #expect(throws: EnvironmentError.self) { try Shard(text, from: "CONTRACT_SHARD") }
    #expect(error?.description.contains("CONTRACT_SHARD") == true)
  }
}
