import Foundation
import Testing

@testable import ContractMutation

@Suite struct ScratchPackageTests {
  /// Calls a function with a package, and the copy's folder.
  private static func withPackage(
    _ files: [String: String], _ body: (ScratchPackage) throws -> Void
  ) throws {
    let files = Dictionary(uniqueKeysWithValues: files.map { ("app/\($0)", $1) })
    try SampleFolder.with(files) { folder in
      try body(ScratchPackage(of: "\(folder.path)/app", in: "\(folder.path)/copy"))
    }
  }

  private static func text(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func `the copy follows the package, and the package is only read`() throws {
    try Self.withPackage(["a.swift": "1", "Sub/b.swift": "2", ".build/x": "3"]) { scratch in
      try scratch.update(overriding: ["a.swift": "woven", "new.swift": "switch"])
      #expect(Self.text("\(scratch.path)/a.swift") == "woven")
      #expect(Self.text("\(scratch.path)/Sub/b.swift") == "2")
      #expect(Self.text("\(scratch.path)/new.swift") == "switch")
      #expect(Self.text("\(scratch.path)/.build/x") == nil)
      #expect(Self.text("\(scratch.original)/a.swift") == "1")

      let date =
        try FileManager.default.attributesOfItem(
          atPath: "\(scratch.path)/Sub/b.swift")[.modificationDate] as? Date
      try FileManager.default.removeItem(atPath: "\(scratch.original)/a.swift")
      try scratch.update(overriding: [:])
      #expect(Self.text("\(scratch.path)/a.swift") == nil)
      #expect(Self.text("\(scratch.path)/new.swift") == nil)
      let after =
        try FileManager.default.attributesOfItem(
          atPath: "\(scratch.path)/Sub/b.swift")[.modificationDate] as? Date
      #expect(date == after)
    }
  }

  /// The compiler's driver compares whole seconds.
  @Test func `what changes gets a date that is at least two seconds later`() throws {
    try Self.withPackage(["a.swift": "1"]) { scratch in
      func date() throws -> Date? {
        try FileManager.default.attributesOfItem(
          atPath: "\(scratch.path)/a.swift")[.modificationDate] as? Date
      }
      var dates: [Date] = []
      for text in ["1", "2", nil, "3"] {
        try scratch.update(overriding: text.map { ["a.swift": $0] } ?? [:])
        dates.append(try #require(try date()))
      }
      for (earlier, later) in zip(dates, dates.dropFirst()) {
        #expect(later.timeIntervalSince(earlier) > 1.99)
      }
    }
  }

  @Test func `dependencies by path are found from the copy`() throws {
    let manifest = """
      let package = Package(dependencies: [
        .package(path: "../.."), .package(name: "x", path: "../x"), .package(path: "/abs"),
        .package(url: "https://example.org/y", from: "1.0.0"),
      ], targets: [.target(name: "A", path: "Sources/A")])
      """
    try Self.withPackage(["Package.swift": manifest]) { scratch in
      let text = try scratch.manifest(judging: ["A"])
      let parent = (scratch.original as NSString).deletingLastPathComponent
      let grandparent = (parent as NSString).deletingLastPathComponent
      #expect(text.contains("\"\(grandparent)\""))
      #expect(text.contains("\"\(parent)/x\""))
      #expect(text.contains("\"/abs\""))
      #expect(text.contains("path: \"Sources/A\""))
      #expect(text.contains("let mutated: Set<String> = [\"A\"]"))
    }
  }

  @Test func `the copy keeps the plug-ins of its targets with what they need, and no other target`()
    throws
  {
    let manifest = """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "app", targets: [
        .plugin(name: "Writes", capability: .buildTool(), dependencies: ["writer"]),
        .plugin(name: "Unused", capability: .buildTool()),
        .executableTarget(name: "writer"),
        .target(name: "A", plugins: ["Writes"]),
        .target(name: "B", plugins: ["Unused"]),
        .target(name: "ContractTesting"),
        .testTarget(name: "ATests", dependencies: ["A", "ContractTesting"]),
        .testTarget(name: "BTests", dependencies: ["B", "ContractTesting"]),
      ])
      """
    try Self.withPackage(["Package.swift": manifest]) { scratch in
      try scratch.update(overriding: ["Package.swift": try scratch.manifest(judging: ["A"])])
      let dump = try ToolProcess.run(["swift", "package", "dump-package"], in: scratch.path)
      #expect(dump.status == 0, "\(dump.text)")
      let package = try JSONDecoder().decode(Package.self, from: dump.standardOutput)
      #expect(
        Set(package.targets.map(\.name)) == ["A", "ATests", "ContractTesting", "Writes", "writer"])
    }
  }

  private struct Package: Decodable {
    struct Target: Decodable { var name: String }
    var targets: [Target]
  }

  @Test func `a folder without a package is refused by name`() throws {
    try Self.withPackage(["x": ""]) { scratch in
      let error = #expect(throws: MutationError.self) { try scratch.manifest(judging: ["A"]) }
      #expect(error?.description.contains("has no Package.swift") == true)
    }
  }

  @Test func `the driver's job is split as a shell would`() {
    #expect(
      SwiftModuleBuild.words(of: #"/a/swift -frontend "/a b/c" 'd"e' f\ g "" "#)
        == ["/a/swift", "-frontend", "/a b/c", "d\"e", "f g", ""])
  }
}
