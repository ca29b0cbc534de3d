/// The names that follow from a protocol's name: `JobQueue`, `jobQueue`, `job-queue`, `job queue`.
struct PortNames {
  /// The protocol's name.
  let type: String

  init(_ type: String) { self.type = type }

  private var words: [String] { Identifier.words(type) }

  /// The name of a variable.
  var variable: String { Identifier.camel(words) }
  /// The id of the contract.
  var id: String { words.joined(separator: "-") }
  /// The words in a sentence.
  var phrase: String { words.joined(separator: " ") }
  /// The words with an article.
  var oneOfThem: String {
    let vowels = "aeio"
    return (words.first?.first.map { vowels.contains($0) } == true ? "an " : "a ") + phrase
  }
  /// The title of the contract.
  var title: String { phrase.prefix(1).uppercased() + phrase.dropFirst() }

  var fixture: String { type + "Fixture" }
  var model: String { type + "Model" }
  var values: String { type + "Values" }
  var fake: String { "InMemory" + type }
}

/// Swift identifiers and the words in them.
enum Identifier {
  /// An identifier without its backticks.
  static func plain(_ name: String) -> String { name.filter { $0 != "`" } }

  /// The words of an identifier in lower case: `HTTPClient` has `http` and `client`.
  static func words(_ name: String) -> [String] {
    var words = [""]
    let characters = Array(plain(name).replacing("SQLite", with: "Sqlite"))
    for (index, character) in characters.enumerated() {
      let isBoundary =
        character.isUppercase && index > 0
        && (!characters[index - 1].isUppercase
          || (index + 1 < characters.count && characters[index + 1].isLowercase))
      if isBoundary || !(character.isLetter || character.isNumber) { words.append("") }
      if (character.isLetter || character.isNumber) && character.isASCII {
        words[words.count - 1] += character.lowercased()
      }
    }
    let found = words.filter { !$0.isEmpty }
    return found.isEmpty ? ["x"] : found
  }

  /// An identifier in lower camel case.
  static func camel(_ words: [String]) -> String {
    let rest = words.dropFirst().map { word in
      ["id", "url", "uuid"].contains(word)
        ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
    }
    return escaped((words.first ?? "") + rest.joined())
  }

  /// An identifier with backticks if it is a keyword.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  private static let keywords: Set = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
    "guard",
    "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
    "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
