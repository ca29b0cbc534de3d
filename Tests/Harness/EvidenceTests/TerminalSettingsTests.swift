import ContractEvidence
import Testing

@Suite struct TerminalSettingsTests {
  @Test(
    arguments: [
      ([:], true, 100, true), (["TERM": "dumb"], true, 100, false),
      (["NO_COLOR": ""], true, 100, true),
      (["NO_COLOR": "1"], true, 100, false),
      (["TERM": "dumb", "FORCE_COLOR": "1"], true, 100, true),
      (["COLUMNS": "70"], true, 70, true), (["COLUMNS": "-1"], true, 100, true),
      ([:], false, 100, false),
    ] as [([String: String], Bool, Int, Bool)])
  func `a terminal has colours and a width unless the environment says otherwise`(
    environment: [String: String], isTerminal: Bool, width: Int, usesColour: Bool
  ) {
    let settings = TerminalSettings(environment: environment, isTerminal: isTerminal, columns: 0)
    #expect(settings.width == width)
    #expect(settings.usesColour == usesColour)
  }

  @Test func `the terminal's width counts unless COLUMNS is set`() {
    func width(_ environment: [String: String]) -> Int {
      TerminalSettings(environment: environment, isTerminal: true, columns: 132).width
    }
    #expect(width([:]) == 132)
    #expect(width(["COLUMNS": "80"]) == 80)
  }
}
