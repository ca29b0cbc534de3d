import Foundation
import Testing

/// Checks that the code on the landing pages is the code that this target compiles.
@Suite struct PagesTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let house = folder.appending(path: "../../../Sources/Transport")

  @Test(arguments: [
    "TransportPort", "TransportDecoding", "TransportCurlAdapter", "TransportURLSessionAdapter",
  ])
  func `each code block of a landing page is compiled here`(module: String) throws {
    let page = try Self.read(Self.house.appending(path: "\(module)/\(module).docc/\(module).md"))
    let sources = try FileManager.default.contentsOfDirectory(
      at: Self.folder, includingPropertiesForKeys: nil)
    // Layout may differ from the page, because swift-format breaks the lines of the sources.
    let compiled = try sources.filter { $0.lastPathComponent != "PagesTests.swift" }
      .map { Self.withoutSpaces(try Self.read($0)) }
    let blocks = Self.blocks(of: page)
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isCompiled = compiled.contains { $0.contains(Self.withoutSpaces(block)) }
      #expect(isCompiled, "\(module).md has code that no file of this target contains: \(block)")
    }
  }

  /// The contents of the Swift code blocks of a page.
  static func blocks(of page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }

  static func read(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  static func withoutSpaces(_ text: String) -> String { text.filter { !$0.isWhitespace } }
}
