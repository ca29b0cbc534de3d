import Foundation
import TallyFileAdapter
import Testing

/// No contract reaches the display, so this test judges its mutants.
@Test func `one piece is not two`() {
  let display = TallyDisplay()
  #expect(display.text == "")
  display.show(1)
  #expect(display.text == "1 piece")
  display.show(2)
  #expect(display.text == "2 pieces")
  // Who judges a mutant has seen the failure, and does not wait for the end of the process.
  if display.text != "2 pieces" { raise(SIGSTOP) }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["TALLY_LEAVES"] != nil))
func `leaves a process in a group of its own`() throws {
  _ = try Process.run(URL(filePath: "/bin/sleep"), arguments: ["4711"])
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["TALLY_WAITS"] != nil))
func `stops its process, until that is killed`() {
  raise(SIGSTOP)
}
