import ContractEvidence
import ContractReports
import EvidenceSamples
import Testing

@Suite struct ReportSchemaTests {
  @Test(arguments: EvidenceSample.planted)
  func `every report is valid`(sample: EvidenceSample) throws {
    #expect(try JSONSchema(named: "report").errors(in: JSONReport(sample.matrix).text) == [])
  }
}
