import ContractEvidence
import EvidenceSamples
import Testing

@Suite struct JournalSchemaTests {
  @Test(arguments: JournalTests.records)
  func `every record is valid`(record: JournalRecord) throws {
    #expect(try JSONSchema(named: "journal").errors(in: record.line) == [])
  }

  @Test(
    arguments: [
      "{}", "{\"version\":2,\"run\":\"r\",\"time\":1,\"event\":\"dance\"}",
      "{\"version\":3,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\"}",
      "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"run-finished\",\"more\":1}",
      "{\"version\":1,\"run\":\"r\",\"time\":1,\"event\":\"case-started\",\"case\":\"x\"}",
    ])
  func `invalid records are rejected`(line: String) throws {
    #expect(try !JSONSchema(named: "journal").errors(in: line).isEmpty)
  }
}
