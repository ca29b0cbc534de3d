import ExplorationEngine
import Foundation
import Testing

@Suite struct CodePlacesTests {
  @Test(arguments: [
    ("/a b/Account.swift:20:3", "Account.swift:20"), ("Account.swift:7", "Account.swift:7"),
    ("/x/Account.swift:7 (discriminator 2)", "Account.swift:7"),
    ("/x/Account.swift:0:0", nil), ("??:0:0", nil), ("<compiler-generated>:0:0", nil),
    ("@__swiftmacro_4main.swift:3:0", nil), ("", nil),
  ])
  func `a line of source code is shown by its file's name`(tool: String, shown: String?) {
    #expect(CodePlaces.shortened(tool[...]) == shown)
  }

  /// The addresses of this function's two calls.
  private static func addresses() -> [UInt] {
    let first = Thread.callStackReturnAddresses
    let second = Thread.callStackReturnAddresses
    // The first is in `callStackReturnAddresses`. A return address is behind the call.
    return [first[1], second[1]].map { $0.uintValue - 1 }
  }

  @Test func `a place that has been found is known without the tool`() async {
    await #expect(processExitsWith: .success) {
      let addresses = Self.addresses()
      let line = CodePlaces(of: [addresses[0]]).line(at: addresses[0])
      #expect(line?.hasPrefix("CodePlacesTests.swift:") == true)
      setenv("PATH", "/nowhere", 1)
      let places = CodePlaces(of: addresses)
      #expect(places.line(at: addresses[0]) == line)
      #expect(places.line(at: addresses[1]) == nil)
    }
  }
}
