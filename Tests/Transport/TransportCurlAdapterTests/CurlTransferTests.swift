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
}
