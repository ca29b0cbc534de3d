import ContractEvidence
import Foundation
import Testing

@Suite struct DayTests {
  @Test func `agrees with Foundation from 1970 to 2200`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for index in 0..<2000 {
      let time = Double(index) * 3_628_799
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: time))
      let text = String(
        format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      #expect(Day(at: time).description == text)
      #expect(Day(text) == Day(at: time))
    }
  }

  @Test(
    arguments: [
      "", "2027", "2027-1-31", "2027-01-32", "2027-02-29", "2100-02-29", "2027-13-01", "2027-00-01",
      "2027-01-00", "+027-01-01", "2027-01-31T", "31-01-2027", "２０２７-01-31",
    ])
  func `text that is no day is refused`(text: String) { #expect(Day(text) == nil) }

  @Test func `days are in order`() throws {
    #expect(Day("2000-02-29") != nil)
    #expect(try #require(Day("2026-12-31")) < #require(Day("2027-01-01")))
    // The last second of a day belongs to it.
    #expect(Day(at: 86_399) == Day("1970-01-01"))
    #expect(Day(at: 86_400) == Day("1970-01-02"))
  }
}
