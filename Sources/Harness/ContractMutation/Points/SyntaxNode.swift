import Foundation
import SwiftSource

/// A node of the compiler's typed syntax tree, as `swiftc -dump-ast -dump-ast-format json` prints
/// it.
struct SyntaxNode {
  private let fields: [String: Any]

  /// The kind, such as `binary_expr`.
  let kind: String

  /// Creates a node from a JSON object, or returns `nil` if it is none.
  init?(_ value: Any?) {
    guard let fields = value as? [String: Any], let kind = fields["_kind"] as? String else {
      return nil
    }
    self.fields = fields
    self.kind = kind
  }

  /// The offsets in UTF-8 of the first byte and of the first byte of the **last token**, or `nil`.
  ///
  /// The compiler stores where the last token begins, not where it ends.
  var tokens: ClosedRange<Int>? {
    guard let range = fields["range"] as? [String: Any], let start = range["start"] as? Int,
      let end = range["end"] as? Int, start <= end
    else { return nil }
    return start...end
  }

  /// The mangled type of an expression, such as `$sSbD` for `Bool`, or an empty string.
  var type: String { self["type"] ?? "" }

  /// Whether the compiler made the node up.
  var isImplicit: Bool { flag("implicit") }

  /// A text field.
  subscript(name: String) -> String? { fields[name] as? String }

  /// Whether a field is `true`.
  func flag(_ name: String) -> Bool { fields[name] as? Bool ?? false }

  /// The node in a field.
  func child(_ name: String) -> SyntaxNode? { SyntaxNode(fields[name]) }

  /// The nodes in a field.
  func children(_ name: String) -> [SyntaxNode] {
    guard let values = fields[name] as? [Any] else { return child(name).map { [$0] } ?? [] }
    return values.compactMap { SyntaxNode($0) }
  }

  /// The nodes in all fields except some.
  func children(without names: Set<String>) -> [SyntaxNode] {
    fields.keys.filter { !names.contains($0) }.flatMap { children($0) }
  }

  /// The name of a declaration, or `nil` if it has none.
  var declaredName: String? {
    let base = child("name")?.child("base_name")
    return base?["name"] ?? base?["special"]
  }

  /// The arguments of a call, in order.
  var arguments: [SyntaxNode] { child("args")?.children("args") ?? [] }

  /// The function, operator or property that an expression refers to, behind implicit conversions.
  var reference: SyntaxNode? {
    switch kind {
    case "declref_expr", "member_ref_expr", "dynamic_member_ref_expr": self
    case "dot_syntax_call_expr", "call_expr": child("fn")?.reference
    // A name after its module's, such as `Swift.max`.
    case "dot_syntax_base_ignored": child("rhs")?.reference
    case "constructor_ref_call_expr", "other_constructor_ref_expr": nil
    default: child("sub_expr")?.reference
    }
  }

  /// The name of what ``reference`` refers to.
  var baseName: String? { child("decl")?["base_name"] }

  /// The compiler's identifier of what ``reference`` refers to.
  var usr: String { child("decl")?["decl_usr"] ?? "" }

  /// The expression behind parentheses and implicit conversions.
  var unwrapped: SyntaxNode {
    let isWrapper = kind == "paren_expr" || kind == "autoclosure_expr" || isImplicit
    guard isWrapper, let inner = child("sub_expr") ?? child("single_expr_body") else { return self }
    return inner.unwrapped
  }
}

extension SyntaxNode {
  /// Reads what the compiler printed for several files.
  ///
  /// - Returns: The root of each file, by the file's path.
  /// - Throws: An error of the parser if the text is not JSON.
  static func roots(in data: Data) throws -> [String: SyntaxNode] {
    // The compiler prints one object per file, without a separator. A string in the source can't
    // contain this text, because its quotes are escaped.
    let start = Data(#"{"_kind":"source_file""#.utf8)
    var roots: [String: SyntaxNode] = [:]
    var rest = data[...]
    while let begin = rest.range(of: start) {
      let next = rest.range(of: start, in: begin.upperBound..<rest.endIndex)
      let end = next?.lowerBound ?? rest.endIndex
      let object = try JSONSerialization.jsonObject(with: Data(rest[begin.lowerBound..<end]))
      if let root = SyntaxNode(object), let path = root["filename"] { roots[path] = root }
      rest = rest[end...]
    }
    return roots
  }
}

extension SourceText {
  /// The range of a node: from its first token to the end of its last token.
  ///
  /// - Returns: `nil` if the node has no range, or one in another file, as in a macro's expansion.
  func range(of node: SyntaxNode) -> Range<Int>? {
    guard let tokens = node.tokens, tokens.upperBound < bytes.count else { return nil }
    return tokens.lowerBound..<endOfToken(at: tokens.upperBound)
  }
}
