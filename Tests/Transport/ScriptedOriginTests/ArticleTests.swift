import Foundation
import Testing

/// Compares the code blocks of the articles with the test files that compile them.
@Suite struct ArticleTests {
  @Test(arguments: [
    (
      "ContractSuites/TransportContract/TransportContract.docc/TransportContract.md",
      "TransportContractArticle.swift"
    ),
    (
      "ContractSuites/Support/ScriptedOrigin/ScriptedOrigin.docc/ScriptedOrigin.md",
      "ScriptedOriginArticle.swift"
    ),
  ])
  func `each code block of an article is compiled`(_ article: String, _ source: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let article = URL(fileURLWithPath: "../../../\(article)", relativeTo: folder)
    let compiled = try lines(of: folder.appendingPathComponent(source))
    let blocks = codeBlocks(in: try lines(of: article))
    #expect(!blocks.isEmpty)
    for block in blocks {
      #expect(
        compiled.firstRange(of: block) != nil,
        "\(source) does not contain this block:\n\(block.joined(separator: "\n"))")
    }
  }

  /// The lines of a file without indentation and empty lines.
  private func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private func codeBlocks(in lines: [String]) -> [[String]] {
    var blocks: [[String]] = []
    var block: [String]?
    for line in lines {
      switch line {
      case "```swift": block = []
      case "```":
        if let block { blocks.append(block) }
        block = nil
      default: block?.append(line)
      }
    }
    return blocks
  }
}
