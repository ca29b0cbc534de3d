import Foundation
import Testing

@testable import ContractScaffold

/// Programs are compiled and run with the toolchain's own coverage, so that its format is the real one.
@Suite struct RequirementCoverageTests {
  private static let port = """
    protocol Shelf: Sendable {
      func put(_ name: String) throws(ShelfError)
      func find(_ name: String) throws(ShelfError) -> Int?
      func first() -> Int?
      var count: Int { get }
      var label: String { get }
      static func parse(_ text: String) throws -> Int
      func missing()
    }
    extension Shelf { func missing() {} }
    enum ShelfError: Error { case full, unknown(String), broken }
    """

  private static let shelf = """
    struct MemoryShelf: Shelf {
      let label = "memory"
      func put(_ name: String) throws(ShelfError) {
        guard name != "full" else { throw ShelfError.full }
        if name.isEmpty { throw .unknown(name) }
      }
      func find(_ name: String) throws(ShelfError) -> Int? {
        if name == "none" { return nil }
        return 1
      }
      func first() -> Int? { [1].first }
      var count: Int {
        get { 1 }
      }
      static func parse(_ text: String) throws -> Int { 1 }
    }
    """

  /// Compiles and runs a program, and returns what the coverage shows of `Shelf`.
  private func items(
    after calls: String
  ) async throws -> [String: RequirementCoverage.Finding] {
    let package = try SamplePackage(copying: GeneratedCodeTests.samples)
    defer { package.remove() }
    try package.write(Self.port, to: "Sources/Shelf/Shelf.swift")
    try package.write(Self.shelf, to: "Sources/Shelf/MemoryShelf.swift")
    try package.write(
      "let shelf: any Shelf = MemoryShelf()\n\(calls)\n", to: "Sources/Shelf/main.swift")
    try await package.run(
      """
      swiftc -swift-version 6 -profile-generate -profile-coverage-mapping -o run "$PWD"/Sources/Shelf/*.swift
      LLVM_PROFILE_FILE=raw ./run
      tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
      "$tools"/llvm-profdata merge raw -o merged
      "$tools"/llvm-cov export -instr-profile=merged run >profile.json
      """)
    let coverage = try RequirementCoverage(
      of: "Shelf", package: package.url.resolvingSymlinksInPath().path,
      profile: package.url.appendingPathComponent("profile.json").path)
    #expect(coverage.implementations == ["MemoryShelf"])
    return Dictionary(
      coverage.items.map { ($0.subject, $0.finding) }, uniquingKeysWith: { first, _ in first })
  }

  @Test func `what a run executes is seen, and what it does not is missed`() async throws {
    let found = try await items(
      after: """
        try? shelf.put("full")
        _ = try? shelf.find("one")
        _ = shelf.count
        """)
    #expect(found["put(_:)"] == .seen)
    #expect(found["find(_:)"] == .seen)
    #expect(found["find(_:) returns nil"] == .missed)
    #expect(found["first()"] == .missed)
    #expect(found["count"] == .seen)
    #expect(found["parse(_:)"] == .missed)
    #expect(found["missing()"] == .missed)
    #expect(found["throws ShelfError.full"] == .seen)
    #expect(found["throws ShelfError.unknown"] == .missed)
  }

  @Test func `what no statement shows is unknown, never seen`() async throws {
    let found = try await items(after: "_ = shelf.first(); _ = shelf.label; shelf.missing()")
    func isUnknown(_ subject: String) -> Bool {
      if case .unknown? = found[subject] { true } else { false }
    }
    #expect(found["first()"] == .seen)
    #expect(isUnknown("first() returns nil"))
    #expect(isUnknown("label"))
    #expect(isUnknown("throws ShelfError.broken"))
    #expect(isUnknown("parse(_:) throws"))
    #expect(found["missing()"] == .seen)
  }

  @Test func `nil and the short form of throw are seen`() async throws {
    let found = try await items(after: "_ = try? shelf.find(\"none\"); try? shelf.put(\"\")")
    #expect(found["find(_:) returns nil"] == .seen)
    #expect(found["throws ShelfError.unknown"] == .seen)
    #expect(found["throws ShelfError.full"] == .missed)
  }

  @Test func `coverage of other sources, of no run or of another format is refused`() throws {
    let package = try SamplePackage(copying: GeneratedCodeTests.samples)
    defer { package.remove() }
    func message(_ text: String?) throws -> String {
      let profile = package.url.appendingPathComponent("profile.json")
      if let text {
        try Data(text.utf8).write(to: profile)
        let old = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: 1)]
        try FileManager.default.setAttributes(old, ofItemAtPath: profile.path)
      }
      do throws(ScaffoldError) {
        _ = try RequirementCoverage(
          of: "JobQueue", package: package.url.path, profile: profile.path)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(try message(nil).contains("can't be read; run 'swift test --enable-code-coverage'"))
    #expect(try message("{}").contains("is not coverage"))
    let file = "\(package.url.path)/Sources/App/JobQueue.swift"
    let export = """
      {"type":"llvm.coverage.json.export","data":[{"files":[{"filename":"\(file)","segments":[]}]}]}
      """
    #expect(try message(export).contains("JobQueue.swift has changed since"))
    do throws(ScaffoldError) {
      _ = try RequirementCoverage.profile(inPackage: package.url.path)
      Issue.record("there is no profile")
    } catch {
      #expect(error.description.contains("has no coverage"))
    }
  }
}
