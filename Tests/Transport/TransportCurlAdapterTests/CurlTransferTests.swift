import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlTransferTests {
  private let transport: CurlTransport

  init() throws { transport = try CurlTransport() }

  private func transfer(
    _ url: String, _ fields: HTTPFields = [:]
  ) throws -> CurlTransfer {
    try CurlTransfer(
      HTTPRequest(url: url, headerFields: fields), body: .none, options: .init(), owner: transport)
  }

  @Test(arguments: [1, 5])
  func `a head that nghttp2 would not send is not offered to HTTP/2`(_ count: Int) throws {
    let configuration = CurlTransport.Configuration()
    var fields = HTTPFields(
      (1..<count).map { HTTPField(name: HTTPField.Name("X-\($0)"), value: "y") })
    fields["Long"] = ""
    let empty = try transfer("https://h/", fields).wire
    // nghttp2 counts 64 bytes more for each field.
    let room = 65_536 - empty.headSize - 64 * empty.headerFields.count
    for (length, mayShare) in [(room - 1, true), (room, false), (room + 1, false)] {
      fields["Long"] = String(repeating: "v", count: length)
      #expect(try transfer("https://h/", fields).mayShare(configuration) == mayShare)
    }
    #expect(try !transfer("http://h/").mayShare(configuration))
  }

  @Test func `reading pauses at the limit and goes on when half of it is read`() throws {
    let transfer = try transfer("http://h/")
    let chunk = [UInt8](repeating: 7, count: CurlTransfer.highWater / 4)
    for _ in 1...3 {
      _ = transfer.deliver(bytes: chunk)
      #expect(!transfer.pausesReading())
    }
    _ = transfer.deliver(bytes: Array(chunk.dropLast()))
    #expect(!transfer.pausesReading())
    _ = transfer.deliver(bytes: [7])
    #expect(transfer.pausesReading())
    for isPaused in [true, false] {
      #expect(transfer.isReadingPaused)
      guard case .bytes(let bytes) = try transfer.readyPart() else {
        Issue.record("content is missing")
        return
      }
      #expect(bytes.count == chunk.count)
      #expect(transfer.isReadingPaused == isPaused)
    }
  }

  @Test func `a transfer that is cancelled before its start knows it`() throws {
    let transfer = try transfer("http://h/")
    #expect(!transfer.isCancelled)
    transfer.cancel()
    #expect(transfer.isCancelled)
  }

  private func read(_ transfer: CurlTransfer) throws -> [UInt8] {
    guard case .bytes(let bytes) = try transfer.readyPart() else { return [] }
    return bytes
  }

  @Test func `memory of content that was read is used again, unless the reader keeps it`() throws {
    let transfer = try transfer("http://h/")
    let size = 64 * 1024
    for byte in 1...3 as ClosedRange<UInt8> {
      _ = transfer.deliver(bytes: Array(repeating: byte, count: size))
    }
    let kept = try read(transfer)
    #expect(transfer.takeBuffer() == nil)
    for byte in 2...3 as ClosedRange<UInt8> {
      #expect(try read(transfer) == Array(repeating: byte, count: size))
      var buffer = try #require(transfer.takeBuffer())
      #expect(buffer.isEmpty)
      #expect(buffer.capacity >= size)
      buffer.append(9)
      #expect(transfer.takeBuffer() == nil)
    }
    #expect(kept == Array(repeating: 1, count: size))
  }

  @Test(arguments: [(99, true), (100, true), (101, false)])
  func `a chunk that is half empty is copied, and its memory is used again`(
    _ count: Int, _ isCopied: Bool
  ) throws {
    let transfer = try transfer("http://h/")
    var chunk: [UInt8] = []
    chunk.reserveCapacity(200)
    // The system may give more.
    let more = chunk.capacity / 2 - 100
    chunk += Array(repeating: 7, count: count + more)
    _ = transfer.deliver(bytes: chunk)
    chunk = []
    let bytes = try read(transfer)
    #expect(bytes == Array(repeating: 7, count: count + more))
    #expect((transfer.takeBuffer() != nil) == isCopied)
    #expect((bytes.capacity < 200 + more) == isCopied)
  }

  @Test func `after the end no memory is kept`() throws {
    let transfer = try transfer("http://h/")
    for byte in 1...2 as ClosedRange<UInt8> {
      _ = transfer.deliver(bytes: Array(repeating: byte, count: 64 * 1024))
    }
    _ = transfer.deliver(ending: .complete(trailers: [:]))
    for _ in 1...2 { #expect(try !read(transfer).isEmpty) }
    #expect(transfer.takeBuffer() == nil)
    guard case .end = try transfer.readyPart() else {
      Issue.record("the end is missing")
      return
    }
  }
}
