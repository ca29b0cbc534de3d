import ContractEvidence
import Testing

@Suite struct SchemaTests {
  @Test(arguments: JournalTests.records)
  func `every record is valid by the journal's schema`(record: JournalRecord) throws {
    #expect(try JSONSchema(named: "journal").errors(in: record.line) == [])
  }

  @Test(arguments: EvidenceSample.planted)
  func `every report is valid by the report's schema`(sample: EvidenceSample) throws {
    #expect(try JSONSchema(named: "report").errors(in: JSONReport(sample.matrix).text) == [])
  }

  @Test(
    arguments: [
      "{}", "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"dance\"}",
      "{\"version\":2,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}",
      "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\",\"more\":1}",
      "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\",\"case\":\"x\"}",
    ])
  func `the journal's schema refuses what is no record`(line: String) throws {
    #expect(try !JSONSchema(named: "journal").errors(in: line).isEmpty)
  }
}
