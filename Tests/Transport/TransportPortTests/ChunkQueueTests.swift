import SeededRandom
import Testing
import TransportPort

@Suite struct ChunkQueueTests {
  /// Creates a chunk without unused capacity.
  private func full(_ byte: UInt8) -> [UInt8] {
    var chunk = [byte]
    while chunk.count < chunk.capacity { chunk.append(byte) }
    return chunk
  }

  private func drained(_ queue: inout ChunkQueue) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    while !queue.isEmpty { chunks.append(queue.popFirst()) }
    return chunks
  }

  @Test func `chunks are removed in FIFO order`() {
    var queue = ChunkQueue()
    #expect(queue.isEmpty)
    #expect(queue.popFirst().isEmpty)
    let chunks = (0..<5).map { full($0) }
    for chunk in chunks[..<3] { queue.append(chunk) }
    #expect(queue.popFirst() == chunks[0])
    for chunk in chunks[3...] { queue.append(chunk) }
    #expect(!queue.isEmpty)
    #expect(drained(&queue) == Array(chunks[1...]))
    queue.append(chunks[0])
    #expect(drained(&queue) == [chunks[0]])
  }

  @Test(arguments: 0..<3)
  func `content is appended to the last chunk if that has capacity`(_ before: UInt8) {
    var queue = ChunkQueue()
    for byte in 0..<before { queue.append(full(byte)) }
    var roomy: [UInt8] = []
    roomy.reserveCapacity(1000)
    queue.append(roomy + full(8))
    roomy.append(9)
    queue.append(roomy)
    for byte in 0..<UInt8(100) { queue.append([byte]) }
    let chunks = drained(&queue)
    #expect(chunks.count <= Int(before) + 2)
    #expect(chunks.reduce([], +).suffix(100) == Array(0..<100))
  }

  @Test func `a queue that is filled and drained in turn loses nothing`() {
    for seed in 0..<50 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      var queue = ChunkQueue()
      var (sent, received): ([UInt8], [UInt8]) = ([], [])
      for round in 0..<200 {
        // Chunks without room stay chunks of their own, and each drain empties the queue.
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
          let chunk =
            Bool.random(using: &generator) ? full(UInt8(round)) : [UInt8(round), UInt8(round)]
          queue.append(chunk)
          sent += chunk
        }
        for _ in 0..<Int.random(in: 0...4, using: &generator) { received += queue.popFirst() }
        #expect(queue.isEmpty == (sent.count == received.count))
        if Bool.random(using: &generator) { received += drained(&queue).joined() }
      }
      received += drained(&queue).joined()
      #expect(received == sent)
    }
  }
}
