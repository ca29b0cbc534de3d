internal import HarnessSupport
import SwiftSource

/// Finds the places of a source file that can be mutated, in the compiler's typed tree.
struct MutationFinder {
  let file: String
  let source: SourceText
  let comments: ExclusionComments

  private(set) var points: [MutationPoint] = []
  private(set) var excluded: [ExcludedPlace] = []

  /// The ranges that comments or rules exclude.
  private var excludedRanges: [Range<Int>] = []

  /// The comments that name a mutant, of which none was found yet.
  private var unused: Set<ExclusionComments.Exclusion>

  /// What is found already. The tree holds inlined closures, and property wrappers, twice.
  private var seen: Set<Key> = []

  /// The comparisons whose operands are never equal.
  var comparisonsOfUnequals: Set<Range<Int>> = []

  private struct Key: Hashable {
    var range: Range<Int>
    var change: Mutant.Operator
  }

  /// Where the visitor is.
  struct Context {
    /// The names of the declarations around a node.
    var path: [String] = []
    /// The mangled type of what `return` returns, or `nil` in a closure.
    var result: String?
    /// Whether the function is an initialiser, which must assign each property.
    var isInitialiser = false
    /// The variables that are declared without a value: assignments to them can't be removed.
    var uninitialised: Set<String> = []
    /// The range of the node around, which must contain every range within.
    var range: Range<Int>
  }

  /// Finds the places of a file.
  ///
  /// - Parameters:
  ///   - file: The path relative to the package.
  ///   - source: The text that the compiler read.
  ///   - root: What the compiler printed.
  /// - Throws: ``MutationError`` if an excluding comment gives no reason.
  init(file: String, source: SourceText, root: SyntaxNode) throws(MutationError) {
    self.file = file
    self.source = source
    comments = try ExclusionComments(in: source, file: file)
    unused = Set(comments.onLine.values.joined().filter { $0.only != nil })
    let context = Context(range: 0..<source.bytes.count)
    for item in root.children("items") { visit(item, context) }
    finish()
    if let left = unused.min(by: { $0.line < $1.line }) {
      throw MutationError(
        "\(file):\(left.line): '\(MutationRules.comment) (\(left.only ?? ""))' names no mutant of the line; "
          + "give an operator or a replacement that the report shows, or remove the comment")
    }
  }

  // MARK: - Walking

  /// Fields that hold no code of the file, or the code of another field again.
  private static let skippedFields: Set = [
    "decl", "initializers", "builtin_initializer", "function_ref", "conformances", "captures",
    "implicit_self_decl", "name", "attrs", "substitutions", "range", "pattern", "name_type",
    "iterator_var", "next_call", "convert_element_expr", "match_expr", "inherits", "for",
    "case_body_variables", "original_init",
  ]

  /// Kinds whose code is another file's, or no place for a switch.
  private static let skippedKinds: Set = [
    "decl_ref", "interpolated_string_literal_expr", "macro_expansion_expr",
    "macro_expansion_decl", "keypath_expr", "enum_case_decl", "enum_element_decl", "macro_decl",
    "sequence_expr", "pound_available_info", "pound_assert", "import_decl",
  ]

  /// Declarations that the compiler makes up, such as `==` of an enumeration.
  private static let declarations: Set = [
    "func_decl", "accessor_decl", "constructor_decl", "destructor_decl", "pattern_binding_decl",
    "var_decl", "struct_decl", "enum_decl", "class_decl",
  ]

  mutating func visit(_ node: SyntaxNode, _ outer: Context) {
    guard !Self.skippedKinds.contains(node.kind) else { return }
    if node.isImplicit, Self.declarations.contains(node.kind) { return }
    var context = outer
    if !node.isImplicit, let range = source.range(of: node) {
      // A macro's expansion is another text with offsets of its own.
      guard outer.range.contains(range) else { return }
      excludeByComment(range)
      // A variable's range is its name, without its accessors.
      let isWhole = Self.declarations.contains(node.kind) && node.kind != "var_decl"
      if node.kind == "brace_stmt" || isWhole { context.range = range }
    }
    switch node.kind {
    case "struct_decl", "enum_decl", "class_decl", "extension_decl", "protocol_decl":
      let name = node.declaredName ?? node.child("extended_type")?["name"]
      if let name { context.path.append(name) }
      visitChildren(of: node, context)
    case "func_decl", "constructor_decl", "destructor_decl", "accessor_decl", "subscript_decl",
      "var_decl":
      visitDeclaration(node, &context)
    case "brace_stmt": visitBrace(node, context)
    case "closure_expr":
      context.result = nil
      context.isInitialiser = false
      visitChildren(of: node, context)
    case "defer_stmt":
      if let body = node.child("temp_decl")?.child("body") { visit(body, context) }
    default:
      findMutants(of: node, context)
    }
  }

  mutating func visitChildren(of node: SyntaxNode, _ context: Context) {
    let hasInitialiser = node.child("processed_init") != nil
    var skipped = Self.skippedFields
    if !hasInitialiser { skipped.remove("original_init") }
    for child in node.children(without: skipped) { visit(child, context) }
  }

  private mutating func visitDeclaration(_ node: SyntaxNode, _ context: inout Context) {
    if let name = node.declaredName ?? node.child("for")?.child("base_name")?["name"] {
      if context.path.last != name { context.path.append(name) }
      if let reason = MutationRules.reason(forDeclaration: name) {
        if let range = source.range(of: node) { exclude(range, reason, isComment: false) }
        return
      }
    }
    if node.kind != "var_decl", node.kind != "subscript_decl" {
      context.result = node["result"] ?? PlainType.void
      context.isInitialiser = node.kind == "constructor_decl"
    }
    visitChildren(of: node, context)
  }

  // MARK: - Excluding

  mutating func exclude(_ range: Range<Int>, _ reason: String, isComment: Bool) {
    let place = ExcludedPlace(
      file: file, line: source.line(of: range.lowerBound), reason: reason, isComment: isComment)
    excludedRanges.append(range)
    if !excluded.contains(place) { excluded.append(place) }
  }

  private mutating func excludeByComment(_ range: Range<Int>) {
    let line = source.line(of: range.lowerBound)
    if let reason = comments.above[line] { exclude(range, reason, isComment: true) }
  }

  // MARK: - Adding

  /// A change: the text that a person would write instead, and its operator.
  struct Change {
    var change: Mutant.Operator
    var replacement: String
  }

  /// Adds a place with one or several changes.
  ///
  /// - Parameters:
  ///   - range: The range that is woven.
  ///   - original: The range that people see as changed; by default `range`.
  ///   - changes: The changes.
  ///   - prefix: What to insert before the range, from the numbers of the mutants, 0 for none.
  ///   - suffix: What to insert after it.
  mutating func add(
    _ range: Range<Int>, showing original: Range<Int>? = nil, _ changes: [Change],
    in context: Context, prefix: @escaping @Sendable ([Int]) -> String,
    suffix: @escaping @Sendable ([Int]) -> String
  ) {
    guard let first = changes.first, context.range.contains(range) else { return }
    guard seen.insert(Key(range: range, change: first.change)).inserted else { return }
    let shown = original ?? range
    let line = source.line(of: range.lowerBound)
    let exclusions = comments.onLine[line] ?? []
    if let whole = exclusions.first(where: { $0.only == nil }) {
      return exclude(range, whole.reason, isComment: true)
    }
    let mutants = changes.map { change in
      Mutant(
        id: "", file: file, declaration: context.path.joined(separator: "."),
        operator: change.change, original: source[shown],
        replacement: Self.replacement(of: source[shown], by: change),
        start: position(of: shown.lowerBound), end: position(of: shown.upperBound))
    }
    var point = MutationPoint(range: range, mutants: mutants, prefix: prefix, suffix: suffix)
    for exclusion in exclusions {
      for (index, mutant) in mutants.enumerated()
      where [mutant.operator.rawValue, mutant.replacement].contains(exclusion.only) {
        point.leftOut.insert(index)
        unused.remove(exclusion)
        let place = ExcludedPlace(
          file: file, line: line, reason: exclusion.reason, isComment: true)
        if !excluded.contains(place) { excluded.append(place) }
      }
    }
    points.append(point)
  }

  /// The text that people see instead of another one.
  ///
  /// A closure must mention each of its unnamed parameters, so a change that leaves one out would not
  /// compile if a person made it.
  private static func replacement(of original: String, by change: Change) -> String {
    let parameters = original.matches(of: /\$[0-9]+/).map { String($0.output) }
    if parameters.allSatisfy(change.replacement.contains) { return change.replacement }
    return switch change.change {
    case .removal, .swallowedError, .neighbourCase, .keptEntry:
      "if false { \(original) } else { \(change.replacement) }"
    default: "(false ? \(original) : \(change.replacement))"
    }
  }

  private func position(of offset: Int) -> Mutant.Position {
    Mutant.Position(line: source.line(of: offset), column: source.column(of: offset))
  }

  /// Adds a place where one of several texts stands instead of an expression.
  mutating func addChoice(_ range: Range<Int>, _ changes: [Change], in context: Context) {
    let texts = changes.map(\.replacement)
    add(range, changes, in: context) { numbers in
      let tests = zip(numbers, texts).filter { $0.0 > 0 }
        .map { "\(SwitchSource.function)(\($0)) ? (\($1)) : " }.joined()
      return tests.isEmpty ? "" : "(\(tests)("
    } suffix: { numbers in
      numbers.allSatisfy { $0 == 0 } ? "" : "))"
    }
  }

  /// Adds a Boolean expression that is negated.
  mutating func addNegation(
    _ range: Range<Int>, showing shown: Range<Int>? = nil, _ change: Change, in context: Context
  ) {
    add(range, showing: shown, [change], in: context) { numbers in
      numbers[0] == 0 ? "" : "\(SwitchSource.negation)("
    } suffix: { numbers in
      numbers[0] == 0 ? "" : ", \(numbers[0]))"
    }
  }

  /// Adds a statement that is removed, or another one that stands instead of it.
  mutating func addStatement(
    _ range: Range<Int>, _ change: Change, instead: String = "", in context: Context
  ) {
    add(range, [change], in: context) { numbers in
      guard numbers[0] > 0 else { return "" }
      return instead.isEmpty
        ? "if !\(SwitchSource.function)(\(numbers[0])) { "
        : "if \(SwitchSource.function)(\(numbers[0])) { \(instead) } else { "
    } suffix: { numbers in
      numbers[0] > 0 ? " }" : ""
    }
  }

  // MARK: - Finishing

  /// Drops what is excluded, and gives each mutant its id.
  private mutating func finish() {
    points.removeAll { point in excludedRanges.contains { $0.contains(point.range) } }
    points.sort {
      ($0.range.lowerBound, -$0.range.upperBound) < ($1.range.lowerBound, -$1.range.upperBound)
    }
    points = Weaver.withoutCut(points)
    var counts: [String: Int] = [:]
    for index in points.indices {
      for number in points[index].mutants.indices {
        let mutant = points[index].mutants[number]
        var fingerprint = Fingerprint()
        for word in [
          mutant.file, mutant.declaration, mutant.operator.rawValue, mutant.original,
          mutant.replacement,
        ] { fingerprint.add(word: word) }
        let count = counts[fingerprint.hexadecimal, default: 0]
        counts[fingerprint.hexadecimal] = count + 1
        fingerprint.add(word: String(count))
        points[index].mutants[number].id = String(fingerprint.hexadecimal.prefix(12))
      }
    }
  }
}
