import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct ChunkedBodyValidatorTests {
  private static func validator() throws(TransportError) -> ChunkedBodyValidator {
    try ChunkedBodyValidator(limits: HTTPHeadLimits())
  }

  @Test func `content and trailers are those of the bytes`() throws {
    var validator = try Self.validator()
    #expect(validator.content == [])
    try validator.consume(Array("3\r\nab".utf8))
    #expect(validator.content == Array("ab".utf8))
    try validator.consume(Array("c\r\n1\r\nd\r\n".utf8))
    #expect(validator.content == Array("cd".utf8))
    try validator.consume(Array("0\r\nSum: 4\r\n".utf8))
    #expect(validator.content == [])
    #expect(!validator.isComplete)
    #expect(validator.trailers == [:])
    try validator.consume(Array("\r\n".utf8))
    #expect(validator.isComplete)
    #expect(!validator.hasSurplus)
    #expect(validator.trailers == ["Sum": "4"])
    try validator.consume(Array("HTTP/1.1".utf8))
    #expect(validator.hasSurplus)
    #expect(validator.trailers == ["Sum": "4"])
  }

  @Test func `an incomplete body has no surplus`() throws {
    var validator = try Self.validator()
    try validator.consume(Array("3\r\n".utf8))
    #expect(!validator.hasSurplus)
    #expect(!validator.isComplete)
  }

  @Test(arguments: ["0x3\r\n", "3 x\r\n", "3\nabc", "3\r\nabcd", "g"])
  func `what libcurl would take for a chunk is none`(text: String) throws {
    var validator = try Self.validator()
    let error = #expect(throws: TransportError.self) {
      try validator.consume(Array(text.utf8))
    }
    #expect(error?.kind == .badChunk)
  }
}
