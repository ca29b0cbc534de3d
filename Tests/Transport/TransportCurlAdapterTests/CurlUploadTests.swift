import SeededRandom
import SystemLocks
import Testing
import TransportPort

@testable import TransportCurlAdapter

/// The clauses see an upload through a socket. These see where it waits.
@Suite(.timeLimit(.minutes(1))) struct CurlUploadTests {
  private let transport: CurlTransport
  private let asked = Counter()

  /// The number of chunks that producers were asked for.
  private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  init() throws { transport = try CurlTransport() }

  private func transfer(_ body: HTTPRequestBody) throws -> CurlTransfer {
    try CurlTransfer(
      HTTPRequest(method: .post, url: "http://h/"), body: body, options: .init(), owner: transport)
  }

  /// Starts an upload of chunks.
  private func upload(
    _ chunks: [[UInt8]], starts: Bool = true,
    trailers: (@Sendable () async throws -> HTTPFields)? = nil
  ) throws -> CurlUpload {
    let body = HTTPRequestBody.stream(
      Chunks(chunks: chunks) { [asked] index in asked.count = index + 1 },
      trailers: trailers)
    let transfer = try transfer(body)
    let upload = try #require(transfer.upload)
    if starts { upload.start(for: transfer, driver: transport.driver) }
    return upload
  }

  /// Takes at most `size` bytes; an empty array if there are none yet, and `nil` at the end.
  private func take(_ size: Int, from upload: CurlUpload) -> [UInt8]? {
    var supply = CurlUpload.Supply.pending
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      supply = upload.copy(into: UnsafeMutableRawBufferPointer(buffer))
      if case .copied(let copied) = supply { count = copied }
    }
    return switch supply {
    case .copied, .pending: bytes
    case .ended: nil
    }
  }

  /// Gives a producer that is ready the time to go on.
  private func yield() async {
    for _ in 1...100 { await Task.yield() }
  }

  private func wait(until condition: () -> Bool) async throws {
    while !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `content arrives whole, in pieces of any size`(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let sizes = (0..<12).map { _ in
      [0, 1, 2, 7, 4096].randomElement(using: &generator)!
        * Int.random(in: 1...3, using: &generator)
    }
    let chunks = sizes.enumerated().map { Array(repeating: UInt8($0), count: $1) }
    let upload = try upload(chunks) { ["Sum": "1"] }
    let largest = [3, 100, 5000][Int(seed % 3)]
    var received: [UInt8] = []
    while let bytes = take(Int.random(in: 1...largest, using: &generator), from: upload) {
      received += bytes
      try Task.checkCancellation()
      if bytes.isEmpty { await Task.yield() }
    }
    #expect(received == Array(chunks.joined()))
    #expect(upload.trailers == ["Sum": "1"])
  }

  @Test func `the producer waits while a quarter of a mebibyte is unsent`() async throws {
    let chunk = [UInt8](repeating: 7, count: 64 * 1024)
    let upload = try upload(Array(repeating: chunk, count: 8))
    try await wait { asked.count == 4 }
    // It would be asked for the next one at once.
    await yield()
    #expect(asked.count == 4)
    #expect(take(1, from: upload)?.count == 1)
    try await wait { asked.count == 5 }
    await yield()
    #expect(asked.count == 5)
    // Exactly the limit is unsent then, which is still too much.
    #expect(take(64 * 1024 - 1, from: upload)?.count == 64 * 1024 - 1)
    await yield()
    #expect(asked.count == 5)
    #expect(take(1, from: upload)?.count == 1)
    try await wait { asked.count == 6 }
    upload.stop()
  }

  @Test func `an upload that is stopped asks for nothing more`() async throws {
    let chunk = [UInt8](repeating: 7, count: 256 * 1024)
    let waiting = try upload([chunk, chunk])
    try await wait { asked.count == 1 }
    waiting.stop()
    waiting.stop()
    // The chunk that it was asked for may come later.
    try await wait { take(chunk.count, from: waiting)?.count == chunk.count }
    await yield()
    #expect(asked.count == 1)
  }

  @Test func `an upload that is stopped before its start does not start`() async throws {
    let upload = try upload([[1]], starts: false)
    upload.stop()
    upload.start(for: try transfer(.none), driver: transport.driver)
    await yield()
    #expect(asked.count == 0)
  }

  @Test func `a producer that waits is cancelled`() async throws {
    let isCancelled = Mutex(false)
    let body = HTTPRequestBody.stream(
      Chunks(chunks: []) { _ in
        while !Task.isCancelled { await Task.yield() }
        isCancelled.withLock { $0 = true }
      })
    let transfer = try transfer(body)
    let upload = try #require(transfer.upload)
    upload.start(for: transfer, driver: transport.driver)
    upload.stop()
    try await wait { isCancelled.withLock { $0 } }
  }
}
