import Foundation
import Testing

@testable import ContractMutation

@Suite struct MutationRunTests {
  @Test func `files woven by an earlier run are woven anew if they no longer build`() throws {
    let folder = try SampleFolder()
    defer { folder.remove() }
    func write(_ text: String, to name: String) throws { try folder.write(text, to: "app/\(name)") }
    /// Returns what stopped a run.
    func run(_ target: String = "Sums") -> String {
      let run = MutationRun(MutationOptions(targets: [target]), package: "\(folder.path)/app") {
        _ in
      }
      do throws(MutationError) {
        _ = try run.run()
        return ""
      } catch {
        return error.description
      }
    }

    try write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "app", targets: [.target(name: "Sums")])
      """, to: "Package.swift")
    try write(
      "func text() -> String { join(Limits.first, Limits.last) }", to: "Sources/Sums/B.swift")
    let limits = """
      enum Limits {
        static let first: Int = 1
        static let last: Int = 2
      }
      func join(_ one: Int, _ other: Int) -> String { "\\(one)\\(other)" }
      """
    try write(limits, to: "Sources/Sums/A.swift")
    // The package has no tests, so the run ends after the mutants are built.
    #expect(run().contains("no test target reaches Sums"))
    let woven = folder.text("app/.build/contracts/mutation/copy/app/Sources/Sums/B.swift")
    #expect(woven?.contains("join(Limits.last, Limits.first)") == true)

    // Swapped arguments, which are in the woven file, have different types now.
    try write(
      limits.replacing("first: Int", with: "first: Int8").replacing("one: Int", with: "one: Int8"),
      to: "Sources/Sums/A.swift")
    #expect(run().contains("no test target reaches Sums"))
    #expect(run("Sum").contains("the package has no target 'Sum'"))
  }
}
