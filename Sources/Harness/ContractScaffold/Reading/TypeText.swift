/// The source of a type.
struct TypeText {
  /// The source.
  let text: String

  init(_ text: String) { self.text = text }

  /// The words and what is between them.
  private var pieces: [String] {
    var pieces: [String] = []
    for character in text {
      let isWord = character.isLetter || character.isNumber || character == "_"
      if isWord, let last = pieces.last, let end = last.last,
        end.isLetter || end.isNumber || end == "_"
      {
        pieces[pieces.count - 1].append(character)
      } else {
        pieces.append(String(character))
      }
    }
    return pieces
  }

  /// Whether a name is one of the words, and not a member of another type.
  func mentions(_ name: String) -> Bool {
    let pieces = pieces
    return pieces.indices.contains {
      pieces[$0] == name && ($0 == 0 || pieces[$0 - 1] != ".")
    }
  }

  /// The type with names replaced, except where they are members of another type.
  func replacing(_ names: [String: String]) -> String {
    guard !names.isEmpty else { return text }
    let pieces = pieces
    return pieces.indices.map { index in
      guard index == 0 || pieces[index - 1] != "." else { return pieces[index] }
      return names[pieces[index]] ?? pieces[index]
    }.joined()
  }

  /// The type in `Wrapped?`, or `nil`.
  var wrapped: String? {
    if text.hasSuffix("?") {
      var inner = String(text.dropLast())
      if inner.hasPrefix("("), inner.hasSuffix(")") { inner = String(inner.dropFirst().dropLast()) }
      return Self.isBalanced(inner) ? inner : nil
    }
    if text.hasPrefix("Optional<"), text.hasSuffix(">") {
      return String(text.dropFirst(9).dropLast())
    }
    return nil
  }

  /// The types in `[Element]`, `Set<Element>`, `[Key: Value]`, a range, a result or a tuple, or `nil`.
  var elements: (kind: String, types: [String])? {
    if text.hasPrefix("["), text.hasSuffix("]"),
      Self.isBalanced(String(text.dropFirst().dropLast()))
    {
      let parts = Self.split(String(text.dropFirst().dropLast()), at: ":")
      return (parts.count == 2 ? "dictionary" : "array", parts)
    }
    for (name, kind) in [
      ("Array", "array"), ("Set", "set"), ("Dictionary", "dictionary"), ("Range", "range"),
      ("ClosedRange", "closed range"), ("Result", "result"),
    ] where text.hasPrefix(name + "<") && text.hasSuffix(">") {
      return (kind, Self.split(String(text.dropFirst(name.count + 1).dropLast()), at: ","))
    }
    if text.hasPrefix("("), text.hasSuffix(")"), !text.contains("->"),
      Self.isBalanced(String(text.dropFirst().dropLast()))
    {
      let parts = Self.split(String(text.dropFirst().dropLast()), at: ",")
      return (
        "tuple",
        parts.map { part in
          let pair = Self.split(part, at: ":")
          return pair.last ?? part
        }
      )
    }
    return nil
  }

  private static func isBalanced(_ text: String) -> Bool {
    var depth = 0
    for character in text {
      if "([{<".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if character == ">", depth > 0 { depth -= 1 }
      if depth < 0 { return false }
    }
    return depth == 0
  }

  /// Splits at a character outside of brackets, and removes the spaces around the parts.
  static func split(_ text: String, at separator: Character) -> [String] {
    var parts = [""]
    var depth = 0
    var previous: Character = " "
    for character in text {
      if "([<".contains(character) { depth += 1 }
      if ")]".contains(character) || (character == ">" && previous != "-") { depth -= 1 }
      if character == separator, depth == 0 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
      previous = character
    }
    return parts.map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}
