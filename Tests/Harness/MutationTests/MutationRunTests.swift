import Foundation
import Testing

@testable import ContractMutation

@Suite struct MutationRunTests {
  @Test func `files woven by an earlier run are woven anew if they no longer build`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("mutation-run-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let package = "\(folder)/app"
    func write(_ text: String, to name: String) throws {
      let path = "\(package)/\(name)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    /// Returns what stopped a run.
    func run(_ target: String = "Sums") -> String {
      let run = MutationRun(MutationOptions(targets: [target]), package: package) { _ in }
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
    let woven = try String(
      contentsOfFile: "\(folder)/app/.build/contracts/mutation/copy/app/Sources/Sums/B.swift",
      encoding: .utf8)
    #expect(woven.contains("join(Limits.last, Limits.first)"))

    // Swapped arguments, which are in the woven file, have different types now.
    try write(
      limits.replacing("first: Int", with: "first: Int8").replacing("one: Int", with: "one: Int8"),
      to: "Sources/Sums/A.swift")
    #expect(run().contains("no test target reaches Sums"))
    #expect(run("Sum").contains("the package has no target 'Sum'"))
  }
}
