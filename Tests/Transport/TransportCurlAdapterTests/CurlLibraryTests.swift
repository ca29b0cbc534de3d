import Testing
import TransportPort

@testable import TransportCurlAdapter

@Suite struct CurlLibraryTests {
  /// The first version with each change, and the one before.
  @Test(arguments: [
    (0x07_56_FF, \CurlLibrary.abandonsLookups, false), (0x07_57_00, \.abandonsLookups, true),
    (0x08_05_00, \.tracesDiscardedContent, true), (0x08_05_01, \.tracesDiscardedContent, false),
    (0x08_05_00, \.overridesEarlierLength, true), (0x08_05_01, \.overridesEarlierLength, false),
    (0x08_05_00, \.offersObsoleteTLS, true), (0x08_05_01, \.offersObsoleteTLS, false),
    (0x08_06_FF, \.reportsProxy, false), (0x08_07_00, \.reportsProxy, true),
    (0x08_0E_FF, \.readsSeveralRecords, true), (0x08_0F_00, \.readsSeveralRecords, false),
    (0x08_0E_01, \.normalizesURLs, false), (0x08_0E_02, \.normalizesURLs, true),
    (0x08_0E_01, \.joinsFoldedFields, false), (0x08_0E_02, \.joinsFoldedFields, true),
  ])
  func `a version of libcurl has the behaviour that was observed`(
    _ version: UInt32, _ property: KeyPath<CurlLibrary, Bool> & Sendable, _ value: Bool
  ) {
    #expect(CurlLibrary(version: version)[keyPath: property] == value)
  }

  @Test func `the description has libcurl and its TLS library`() throws {
    let words = CurlLibrary.current.description.split(separator: " ")
    #expect(words.count == 2)
    #expect(words.first?.hasPrefix("libcurl/") == true)
  }

  @Test func `a field that libcurl would omit is rejected`() throws {
    let limit = try #require(CurlLibrary(version: 0x08_05_01).maximumFieldLength)
    #expect(limit == 307_199)
    #expect(CurlLibrary(version: 0x08_05_00).maximumFieldLength == nil)
    for (count, isSent) in [(limit, true), (limit + 1, false)] {
      let text = String(repeating: "a", count: count)
      for field in [HTTPField(name: "X-A", value: text), HTTPField(name: .init(text), value: "")] {
        let wire = try WireRequest(
          HTTPRequest(url: "http://a/", headerFields: HTTPFields([field])), body: .none)
        #expect(throws: Never.self) {
          try wire.checkFieldLengths(CurlLibrary(version: 0x08_05_00))
        }
        do throws(TransportError) {
          try wire.checkFieldLengths(CurlLibrary(version: 0x08_05_01))
          #expect(isSent)
        } catch {
          #expect(!isSent)
          #expect(error.kind == .invalidRequest(.headTooLarge))
          #expect(!error.bytesSent)
        }
      }
    }
  }
}
