import Foundation
import SwiftSource

/// Where a closure is written, from which reports take its text.
struct SourcePlace: Sendable {
  var file: String
  var line: Int
  var column: Int
  /// The name that the call gives as its first argument, by which a changed file is noticed.
  var name: String?

  /// The closure that follows the name at this place; `nil` if the file is not there or was changed.
  var closure: ClosureText? {
    guard let data = FileManager.default.contents(atPath: file) else { return nil }
    let source = SourceText(String(decoding: data, as: UTF8.self))
    guard let start = source.offset(line: line, column: column), start < source.bytes.count else {
      return nil
    }
    if let name {
      let next = source[start..<source.bytes.count].prefix(200 + name.count)
      guard next.contains("(\"\(name)\"") || next.contains(" \"\(name)\"") else { return nil }
    }
    return ClosureText(in: source, at: start)
  }
}

/// The text of a closure: its parameters and its body.
struct ClosureText: Sendable {
  var parameters: [String]
  /// The global actor on which it runs, with `@`, or `nil`.
  var globalActor: String?
  /// The type that it says it returns, or `nil`.
  var returnType: String?
  var body: String

  /// Whether the body is one expression.
  var isExpression: Bool

  /// Reads the closure that is the last argument of the call at an offset.
  init?(in source: SourceText, at start: Int) {
    let tokens = Self.tokens(of: source, from: start)
    guard let open = Self.start(tokens, source), let close = Self.matching(open, tokens, source)
    else { return nil }
    let inside = Array(tokens[(open + 1)..<close])
    var names: [String] = []
    var bodyStart = tokens[open].upperBound
    if let end = Self.endOfSignature(inside, source) {
      var isName = true
      var isCapture = false
      let arrow = Self.arrow(inside[..<end], source)
      if let first = arrow.map({ $0 + 1 }), first < end {
        returnType = source[inside[first].lowerBound..<inside[end - 1].upperBound]
      }
      for (index, token) in inside[..<(arrow ?? end)].enumerated() {
        let text = source[token]
        // An attribute is two tokens.
        if text == "@" { continue }
        if index > 0, source[inside[index - 1]] == "@" {
          if text != "Sendable" { globalActor = "@\(text)" }
          continue
        }
        if text == "[" { isCapture = true }
        if text == "]" { isCapture = false }
        if isCapture { continue }
        if text == "," { isName = true }
        if isName, text.first.map({ $0.isLetter || $0 == "_" }) == true {
          names.append(text)
          isName = false
        }
      }
      bodyStart = inside[end].upperBound
    }
    parameters = names
    let text = source[bodyStart..<tokens[close].lowerBound].withoutCommonIndentation
    let statements = [
      "let ", "var ", "guard ", "if ", "for ", "while ", "switch ", "do ", "defer ",
    ]
    isExpression =
      !text.contains("\n") && !text.contains(";")
      && !statements.contains { text.hasPrefix($0) }
    body = isExpression && text.hasPrefix("return ") ? String(text.dropFirst(7)) : text
  }

  /// The body with other expressions in the place of the parameters.
  ///
  /// A body of several statements, or with a parameter in an interpolation, becomes a closure that is
  /// called with the expressions.
  func applied(to arguments: [String]) -> String {
    let names = parameters.isEmpty ? arguments.indices.map { "$\($0)" } : parameters
    let values = Dictionary(zip(names, arguments), uniquingKeysWith: { first, _ in first })
    let source = SourceText(body)
    let tokens = Self.tokens(of: source, from: 0)
    var result = ""
    var end = 0
    for (index, token) in tokens.enumerated() {
      result += source[end..<token.lowerBound]
      end = token.upperBound
      let text = source[token]
      if text.first == "\"", text.contains("\\("), names.contains(where: { text.contains($0) }) {
        return called(with: arguments)
      }
      let before = index > 0 ? source[tokens[index - 1]] : ""
      let after = index + 1 < tokens.count ? source[tokens[index + 1]] : ""
      // After a dot it is a member, and before a colon a label.
      if let value = values[text], before != ".", after != ":" {
        result += after.hasPrefix(".") && value.hasPrefix("-") ? "(\(value))" : value
      } else {
        result += text
      }
    }
    guard isExpression else { return called(with: arguments) }
    return result + source[end..<source.bytes.count]
  }

  /// The body as statements and the expression that it returns, with other expressions in the place of the
  /// parameters; `nil` for a body that is one expression, or that only a closure can hold.
  func statements(with arguments: [String]) -> (before: String, returned: String)? {
    guard !isExpression, let end = body.range(of: "\nreturn ", options: .backwards) else {
      return nil
    }
    let parts = [body[..<end.lowerBound], body[end.upperBound...]].map { text in
      var part = self
      part.body = String(text)
      part.isExpression = true
      return part.applied(to: arguments)
    }
    // A closure that is called stands for a text that can't be replaced in.
    let isPlain = parts[0].contains("{ (") == false && !body[..<end.lowerBound].contains("return ")
    return isPlain ? (parts[0], parts[1]) : nil
  }

  private func called(with arguments: [String]) -> String {
    let effects = [body.contains("try") ? "try" : "", body.contains("await") ? "await" : ""]
    let result = returnType.map { " -> " + $0 } ?? ""
    let signature =
      parameters.isEmpty ? "" : " (\(parameters.joined(separator: ", ")))\(result) in"
    let call = "{\(signature)\n\(body.indented(by: 2))\n}(\(arguments.joined(separator: ", ")))"
    return (effects.filter { !$0.isEmpty } + [call]).joined(separator: " ")
  }

  private static func tokens(of source: SourceText, from start: Int) -> [Range<Int>] {
    var tokens: [Range<Int>] = []
    var offset = start
    while offset < source.bytes.count {
      let byte = source.bytes[offset]
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\t") {
        offset += 1
      } else if source.starts(with: "//".utf8, at: offset) {
        offset = source.bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? source.bytes.count
      } else if source.starts(with: "/*".utf8, at: offset) {
        while offset < source.bytes.count, !source.starts(with: "*/".utf8, at: offset) {
          offset += 1
        }
        offset += 2
      } else {
        let end = max(source.endOfToken(at: offset), offset + 1)
        tokens.append(offset..<end)
        offset = end
      }
    }
    return tokens
  }

  /// The number of the token that opens the closure: the one after the call's parentheses, or the last
  /// argument in them.
  private static func start(_ tokens: [Range<Int>], _ source: SourceText) -> Int? {
    var depth = 0
    var braces = 0
    var argument: Int?
    for (index, token) in tokens.enumerated() {
      switch source[token] {
      case "(" where braces == 0: depth += 1
      case ")" where braces == 0:
        depth -= 1
        if depth < 0 { return nil }
        let next = index + 1 < tokens.count ? source[tokens[index + 1]] : ""
        if depth == 0 { return next == "{" ? index + 1 : argument }
      case "{":
        if depth == 0 { return index }
        if depth == 1, braces == 0 { argument = index }
        braces += 1
      case "}":
        braces -= 1
        if braces < 0 { return nil }
      default: break
      }
    }
    return nil
  }

  private static func matching(_ open: Int, _ tokens: [Range<Int>], _ source: SourceText) -> Int? {
    var depth = 0
    for index in open..<tokens.count {
      let text = source[tokens[index]]
      if text == "{" { depth += 1 }
      if text == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// The number of the arrow before the type that a closure returns, and not of one in a parameter's type.
  private static func arrow(_ tokens: ArraySlice<Range<Int>>, _ source: SourceText) -> Int? {
    var depth = 0
    return tokens.firstIndex {
      let text = source[$0]
      if text == "(" || text == "[" { depth += 1 }
      if text == ")" || text == "]" { depth -= 1 }
      return text == "->" && depth == 0
    }
  }

  /// The number of the token `in` that ends the parameters, if the closure names any.
  private static func endOfSignature(_ tokens: [Range<Int>], _ source: SourceText) -> Int? {
    for (index, token) in tokens.enumerated() {
      let text = source[token]
      if text == "in" { return index }
      let belongs =
        text.first.map { $0.isLetter || $0 == "_" || $0 == "@" } == true
        || [",", ":", "(", ")", "[", "]", ".", "->"].contains(text)
        || text.allSatisfy { "<>?&".contains($0) }
      if !belongs || ["try", "await", "return", "for", "let", "var", "if"].contains(text) {
        return nil
      }
    }
    return nil
  }
}

extension String {
  /// The text without the indentation that all its lines share, and without empty lines around it.
  fileprivate var withoutCommonIndentation: String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    let shared =
      lines.dropFirst().filter { $0.contains { $0 != " " } }.map { $0.prefix { $0 == " " }.count }
      .min()
      ?? 0
    let first = lines.first.map { $0.drop { $0 == " " } } ?? ""
    return ([first] + lines.dropFirst().map { $0.dropFirst(shared) }).joined(separator: "\n")
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The text with spaces before each line that is not empty.
  func indented(by count: Int) -> String {
    let spaces = String(repeating: " ", count: count)
    return split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : spaces + $0 }.joined(separator: "\n")
  }
}
