import Foundation
import Testing

@testable import ContractMutation

@Suite struct MutationRunTests {
  /// Mutates targets of the package `app`, and returns what stopped the run.
  private static func run(_ targets: [String], in folder: SampleFolder) -> String {
    let options = MutationOptions(targets: targets)
    let run = MutationRun(options, package: "\(folder.path)/app") { _ in }
    do throws(MutationError) {
      _ = try run.run()
      return ""
    } catch {
      return error.description
    }
  }

  @Test func `files woven by an earlier run are woven anew if they no longer build`() throws {
    let folder = try SampleFolder()
    defer { folder.remove() }
    func write(_ text: String, to name: String) throws { try folder.write(text, to: "app/\(name)") }
    func run(_ target: String = "Sums") -> String { Self.run([target], in: folder) }

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

  /// Each run numbers its mutants from 1, so a number would switch on one in each woven target.
  @Test(arguments: [["my-sums"], ["my-sums", "Texts"]])
  func `a target that an earlier run has mutated is not woven in the next`(
    _ earlier: [String]
  ) throws {
    let folder = try SampleFolder()
    defer { folder.remove() }
    try folder.write(
      """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "app", targets: [.target(name: "my-sums"), .target(name: "Texts")])
      """, to: "app/Package.swift")
    let sources = [
      "Sources/my-sums/A.swift": "func sum(_ one: Int) -> Int { one + 1 }",
      "Sources/Texts/B.swift": "func text(_ one: Int) -> String { one < 1 ? \"a\" : \"b\" }",
    ]
    for (name, text) in sources { try folder.write(text, to: "app/\(name)") }
    /// The files that are woven in the copy.
    func woven() -> Set<String> {
      let copy = "app/.build/contracts/mutation/copy/app"
      return Set(sources.filter { folder.text("\(copy)/\($0.key)") != $0.value }.keys)
    }

    #expect(Self.run(earlier, in: folder).contains("no test target reaches"))
    #expect(woven().contains("Sources/my-sums/A.swift"))
    #expect(Self.run(["Texts"], in: folder).contains("no test target reaches Texts"))
    #expect(woven() == ["Sources/Texts/B.swift"])
    let copied = "app/.build/contracts/mutation/copy/app/Sources/my-sums"
    #expect(folder.text("\(copied)/ContractMutationSwitch.swift") == nil)
  }

  /// Both would weave into one copy, and switch mutants in one memory.
  @Test func `a run ends at once while another one mutates the same package`() throws {
    let folder = try SampleFolder(["app/Package.swift": ""])
    defer { folder.remove() }
    let mutations = "\(folder.path)/app/.build/contracts/mutation"
    do {
      let other = try FolderLock(mutations)
      defer { withExtendedLifetime(other) {} }
      let message = Self.run(["Sums"], in: folder)
      #expect(message.contains("another 'contracts mutate' is running in this package"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: mutations) == [])
    }
    #expect(!Self.run(["Sums"], in: folder).contains("another"))
  }
}
