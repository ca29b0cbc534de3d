import ContractTesting
import Foundation
import Testing
import TransportContract

/// Checks that the code on the landing pages is the code that this target compiles, and their numbers.
@Suite struct PagesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let root = folder.appending(path: "../../..")

  @Test(arguments: [
    "Sources/Transport/TransportPort", "Sources/Transport/TransportDecoding",
    "Sources/Transport/TransportCurlAdapter", "Sources/Transport/TransportURLSessionAdapter",
    "ContractSuites/TransportContract", "ContractSuites/Support/ScriptedOrigin",
  ])
  func `each code block of a landing page is compiled here`(module: String) throws {
    let page = try Self.page(of: module)
    let sources = try FileManager.default.contentsOfDirectory(
      at: Self.folder, includingPropertiesForKeys: nil)
    // Layout may differ from the page, because swift-format breaks the lines of the sources.
    let compiled = try sources.filter { $0.lastPathComponent != "PagesTests.swift" }
      .map { Self.withoutSpaces(try Self.read($0)) }
    let blocks = Self.blocks(of: page)
    #expect(!blocks.isEmpty)
    for block in blocks where !HTTPTypesTests.compiles(block) {
      let isCompiled = compiled.contains { $0.contains(Self.withoutSpaces(block)) }
      #expect(isCompiled, "\(module).md has code that no file of this target contains: \(block)")
    }
  }

  @Test func `the pages have the number of clauses of each contract`() throws {
    let page = try Self.page(of: "ContractSuites/TransportContract")
    let counts = [Contract.transport, .transportHTTP2, .transportFiles].map(\.clauses.count)
    #expect(page.contains("against \(counts.reduce(0, +)) clauses"))
    #expect(page.contains("`Contract.transport` has \(counts[0]) clauses"))
    #expect(page.contains("`Contract.transportHTTP2` adds \(counts[1]) clauses"))
    #expect(page.contains("`Contract.transportFiles` has \(counts[2]) clauses"))
    let products = "\(counts[0]) clauses, \(counts[1]) of HTTP/2 and \(counts[2]) for any server"
    #expect(try Self.read(Self.root.appending(path: "README.md")).contains(products))
  }

  static func page(of module: String) throws -> String {
    let name = URL(filePath: module).lastPathComponent
    return try read(root.appending(path: "\(module)/\(name).docc/\(name).md"))
  }

  /// The contents of the Swift code blocks of a page.
  static func blocks(of page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  static func read(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  static func withoutSpaces(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
