/// The mutants of statements.
extension MutationFinder {
  /// Visits the statements of a block.
  ///
  /// - Parameter mustLeave: Whether the last statement must leave the scope, as in a `guard`.
  mutating func visitBrace(
    _ node: SyntaxNode, _ context: Context, mustLeave: Bool = false, isCase: Bool = false
  ) {
    let statements = node.children("elements")
    // A result builder turns each statement into a hidden variable; an `if` there builds something.
    if statements.contains(where: { $0.isImplicit && $0.kind == "pattern_binding_decl" }) { return }
    var context = context
    context.uninitialised.formUnion(Self.uninitialisedNames(in: statements))
    for (index, statement) in statements.enumerated() {
      let isLast = index == statements.count - 1
      if !(isLast && (mustLeave || isCase && statement.kind == "break_stmt")) {
        findRemoval(of: statement, isOnlyOneOfCase: isCase && statements.count == 1, context)
      }
      if statement.kind == "do_catch_stmt" {
        findSwallowedErrors(in: statement, context, isFollowed: !isLast)
      }
      visit(isLast ? endlessLoop(statement, context) ?? statement : statement, context)
    }
  }

  /// The body of an endless loop at the end of a function with a result. If the loop had an end,
  /// nothing would be returned there, which does not compile.
  private func endlessLoop(_ statement: SyntaxNode, _ context: Context) -> SyntaxNode? {
    let conditions = statement.children("conditions") + statement.children("cond")
    guard ["while_stmt", "repeat_while_stmt"].contains(statement.kind), conditions.count == 1,
      conditions[0].kind == "boolean_literal_expr", let result = context.result,
      result != PlainType.void
    else { return nil }
    return statement.child("body")
  }

  /// The variables that are declared without a value: assignments to them can't be removed.
  private static func uninitialisedNames(in statements: [SyntaxNode]) -> Set<String> {
    var names: Set<String> = []
    for entry in statements.filter({ $0.kind == "pattern_binding_decl" })
      .flatMap({ $0.children("pattern_entries") })
    where entry.child("processed_init") == nil && entry.child("original_init") == nil {
      var pattern = entry.child("pattern")
      while let inner = pattern?.child("sub_pattern") { pattern = inner }
      if let name = pattern?.declaredName { names.insert(name) }
    }
    return names
  }

  /// - Parameter isOnlyOneOfCase: Whether nothing else is in a `case`, which must not be empty.
  private mutating func findRemoval(
    of statement: SyntaxNode, isOnlyOneOfCase: Bool = false, _ context: Context
  ) {
    guard let range = source.range(of: statement) else { return }
    let removal = Change(change: .removal, replacement: isOnlyOneOfCase ? "break" : "")
    switch statement.kind {
    case "break_stmt", "continue_stmt":
      // A label is not part of the statement's last token.
      guard statement["target_label"] == nil, statement.child("label") == nil else { return }
      addStatement(range, removal, in: context)
    case "return_stmt":
      if statement.isImplicit, let call = statement.child("result"), call.type == PlainType.void {
        findRemoval(of: call, context)
      } else if !statement.isImplicit, statement.child("result") == nil, !context.isInitialiser {
        addStatement(range, removal, in: context)
      }
    case "assign_expr":
      let dest = statement.child("dest")
      let targets =
        dest?.kind == "tuple_expr" ? dest?.children("elements") : dest.map { [$0] }
      guard targets?.contains(where: { isFirstValue(of: $0, context) }) != true else { return }
      addStatement(range, removal, in: context)
      if let dest, dest.kind == "subscript_expr", PlainType.isOptional(dest.type),
        let base = dest.child("base")?.unwrapped, PlainType.isDictionary(base.type),
        let place = source.range(of: dest),
        statement.child("src")?.unwrapped.kind != "nil_literal_expr"
      {
        let text = "if \(source[place]) == nil { \(source[range]) }"
        addStatement(
          range, Change(change: .keptEntry, replacement: text), instead: text, in: context)
      }
    case "binary_expr" where statement.type == PlainType.void:
      addStatement(range, removal, in: context)
      findAssignmentOperator(of: statement, range, context)
    case "call_expr", "optional_evaluation_expr", "try_expr", "await_expr", "force_try_expr",
      "optional_try_expr":
      guard isRemovable(statement) else { return }
      addStatement(range, removal, in: context)
    default: return
    }
  }

  /// Whether an assignment may give a variable or a property its first value.
  private func isFirstValue(of target: SyntaxNode, _ context: Context) -> Bool {
    let name = target.reference?.baseName ?? ""
    let isOfSelf = name == "self" || target.reference?.child("base")?.baseName == "self"
    return context.isInitialiser && isOfSelf || context.uninitialised.contains(name)
  }

  private func isRemovable(_ statement: SyntaxNode) -> Bool {
    if isDelegation(statement) { return false }
    var inner = statement
    while ["try_expr", "await_expr", "force_try_expr", "optional_try_expr"].contains(inner.kind),
      let next = inner.child("sub_expr")
    { inner = next }
    guard inner.kind == "call_expr" || inner.kind == "optional_evaluation_expr" else {
      return false
    }
    guard !inner.type.contains("s5NeverO") else { return false }
    guard let function = inner.reference else { return true }
    return MutationRules.reason(forCallOf: function) == nil
  }

  /// Whether an expression calls another initialiser, which must happen once on every path.
  func isDelegation(_ node: SyntaxNode) -> Bool {
    guard let range = source.range(of: node) else { return false }
    return source[range].firstMatch(of: /^(try[?!]? |await )*(self|super)\.init\b/) != nil
  }

  private static let assignments = [
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "*=", "&+=": "&-=", "&-=": "&+=",
    "&*=": "&+=", "|=": "&=", "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<=",
  ]

  private mutating func findAssignmentOperator(
    of statement: SyntaxNode, _ range: Range<Int>, _ context: Context
  ) {
    guard let place = operatorRange(of: statement), let other = Self.assignments[source[place]],
      let value = statement.arguments.last?.child("expr"), PlainType.isNumber(value.type)
    else { return }
    let text = replacing(place, by: other, in: range)
    addStatement(
      range, Change(change: .arithmetic, replacement: text), instead: text, in: context)
  }

  // MARK: - Errors and cases

  private mutating func findSwallowedErrors(
    in statement: SyntaxNode, _ context: Context, isFollowed: Bool
  ) {
    // The `do` may give a variable or a property its only value.
    guard !context.isInitialiser, context.uninitialised.isEmpty else { return }
    for clause in statement.children("catch_stmts") {
      let body = clause.child("body")?.children("elements") ?? []
      guard let range = range(of: body), let last = body.last else { continue }
      let leaves = ["return_stmt", "throw_stmt"].contains(last.kind)
      guard !leaves || isFollowed || context.result == PlainType.void else { continue }
      addStatement(range, Change(change: .swallowedError, replacement: ""), in: context)
    }
  }

  /// Lets each case of a `switch` do what the next one does, or the last what the one before does.
  mutating func findNeighbourCases(in node: SyntaxNode, _ context: Context) {
    guard !context.isInitialiser, context.uninitialised.isEmpty else { return }
    let cases = node.children("cases").map { one in
      (
        body: one.child("body")?.children("elements") ?? [],
        isPlain: one.children("case_body_variables").isEmpty
      )
    }
    for index in cases.indices where cases.count > 1 {
      let one = cases[index]
      let other = cases[index + 1 < cases.count ? index + 1 : index - 1]
      let isExpression = one.body.first?.kind == "then_stmt"
      guard one.isPlain, other.isPlain, let range = range(of: one.body),
        let otherRange = self.range(of: other.body), source[range] != source[otherRange],
        source.line(of: otherRange.upperBound) - source.line(of: otherRange.lowerBound) < 10,
        !(one.body + other.body).contains(where: { $0.kind == "fallthrough_stmt" }),
        !isExpression || one.body.count == 1 && other.body.count == 1,
        isExpression == (other.body.first?.kind == "then_stmt")
      else { continue }
      let text = source[otherRange]
      addStatement(
        range, Change(change: .neighbourCase, replacement: text), instead: text, in: context)
    }
  }

  // MARK: - Ranges

  /// The range from the first of some nodes to the last.
  func range(of nodes: [SyntaxNode]) -> Range<Int>? {
    guard let first = nodes.first.flatMap({ source.range(of: $0) }),
      let last = nodes.last.flatMap({ source.range(of: $0) }),
      first.lowerBound <= last.upperBound
    else { return nil }
    return first.lowerBound..<last.upperBound
  }

  /// The range of a binary or prefix operator.
  ///
  /// - Returns: `nil` if the text there is not the operator, as in a macro's expansion.
  func operatorRange(of node: SyntaxNode) -> Range<Int>? {
    guard let function = node.child("fn")?.reference, let start = function.tokens?.lowerBound,
      let name = function.baseName, start + name.utf8.count <= source.bytes.count
    else { return nil }
    let range = start..<(start + name.utf8.count)
    return source[range] == name ? range : nil
  }

  /// The text of a range with a part of it replaced.
  func replacing(_ part: Range<Int>, by text: String, in range: Range<Int>) -> String {
    source[range.lowerBound..<part.lowerBound] + text + source[part.upperBound..<range.upperBound]
  }
}
