import Foundation
import HarnessSupport
import Testing

@Suite struct LineBufferTests {
  /// Fills a buffer with each piece, and returns the lines that were whole after each.
  private static func lines(of pieces: [[UInt8]]) throws -> [[String]] {
    let pipe = Pipe()
    var buffer = LineBuffer()
    var found: [[String]] = []
    for piece in pieces {
      try pipe.fileHandleForWriting.write(contentsOf: Data(piece))
      let isFilled = buffer.fill(from: pipe.fileHandleForReading.fileDescriptor)
      #expect(isFilled)
      var lines: [String] = []
      while let line = buffer.next() { lines.append(line) }
      found.append(lines)
    }
    try pipe.fileHandleForWriting.close()
    let isFilled = buffer.fill(from: pipe.fileHandleForReading.fileDescriptor)
    #expect(!isFilled)
    return found
  }

  @Test func `lines are whole, however they arrive`() throws {
    let pieces = ["ab", "c\n", "d\n\ne\nf", "\ng"].map { Array($0.utf8) }
    #expect(try Self.lines(of: pieces) == [[], ["abc"], ["d", "", "e"], ["f"]])
  }

  @Test func `octets that are not UTF-8 do not shift the lines behind them`() throws {
    let lines = try Self.lines(of: [[0x61, 0xFF, 0x0A, 0x62, 0x0A]])
    #expect(lines == [["a\u{FFFD}", "b"]])
  }
}
