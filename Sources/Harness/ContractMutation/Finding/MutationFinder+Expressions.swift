/// The mutants of expressions and conditions.
extension MutationFinder {
  /// Finds the mutants of a node and of those within.
  mutating func findMutants(of node: SyntaxNode, _ context: Context) {
    switch node.kind {
    case "if_stmt", "guard_stmt", "while_stmt":
      noteComparisonOfUnequals(in: node)
      findConditions(node.children("conditions"), context)
      // A loop without its condition would only run out of fuel.
      if node.kind != "while_stmt" { findDroppedConditions(node.children("conditions"), context) }
      if node.kind == "guard_stmt", let body = node.child("body") {
        for child in node.children(without: ["body", "range"]) { visit(child, context) }
        return visitBrace(body, context, mustLeave: true)
      }
    case "repeat_while_stmt": findConditions(node.children("cond"), context)
    case "ternary_expr": findConditions(node.children("cond_expr"), context)
    case "for_each_stmt": findConditions(node.children("where"), context)
    case "case_label_item":
      findConditions(node.children("where_expr"), context)
    case "switch_stmt": findNeighbourCases(in: node, context)
    case "case_stmt":
      for label in node.children("case_label_items") { visit(label, context) }
      if let body = node.child("body") { visitBrace(body, context, isCase: true) }
      return
    case "return_stmt": findReturnValue(of: node, context)
    case "binary_expr": findBinary(node, context)
    case "prefix_unary_expr": findRemovedNot(node, context)
    case "call_expr":
      if findCall(node, context) { return }
    case "member_ref_expr": findMember(node, context)
    case "optional_evaluation_expr": findOptionalChain(node, context)
    case "integer_literal_expr", "float_literal_expr": findNumber(node, context)
    case "boolean_literal_expr": findBoolean(node, context)
    case "string_literal_expr", "array_expr", "dictionary_expr": findLiteral(node, context)
    default: break
    }
    visitChildren(of: node, context)
  }

  // MARK: - Conditions

  private mutating func findConditions(_ conditions: [SyntaxNode], _ context: Context) {
    for condition in conditions {
      if condition.kind == "pattern" {
        findBinding(condition, context)
      } else {
        findNegation(of: condition, context)
      }
    }
  }

  /// Negates a condition that no other operator negates: comparisons have operators of their own.
  private mutating func findNegation(of condition: SyntaxNode, _ context: Context) {
    let node = condition.unwrapped
    guard node.type == PlainType.bool, let range = source.range(of: node) else { return }
    switch node.kind {
    case "binary_expr":
      let name = node.child("fn")?.reference?.baseName ?? ""
      guard ["&&", "||"].contains(name) else { return }
      for argument in node.arguments.compactMap({ $0.child("expr") }) {
        findNegation(of: argument, context)
      }
    case "prefix_unary_expr", "boolean_literal_expr", "single_value_stmt_expr": return
    default:
      addNegation(
        range, Change(change: .negation, replacement: "!(\(source[range]))"), in: context)
    }
  }

  /// Leaves out each Boolean condition of a list. The operands of `&&` and `||` are left out one by one,
  /// wherever they stand.
  private mutating func findDroppedConditions(_ conditions: [SyntaxNode], _ context: Context) {
    for condition in conditions where condition.kind != "pattern" {
      findDropped(condition, as: "true", context)
    }
  }

  private mutating func findDropped(
    _ condition: SyntaxNode, as value: String, _ context: Context
  ) {
    let node = condition.unwrapped
    guard node.type == PlainType.bool, node.kind != "boolean_literal_expr",
      Self.logical[node.child("fn")?.reference?.baseName ?? ""] == nil,
      let range = source.range(of: node)
    else { return }
    addChoice(range, [Change(change: .droppedCondition, replacement: value)], in: context)
  }

  private mutating func findRemovedNot(_ node: SyntaxNode, _ context: Context) {
    guard let place = operatorRange(of: node), source[place] == "!", node.type == PlainType.bool,
      let range = source.range(of: node)
    else { return }
    let text = source[place.upperBound..<range.upperBound]
    addNegation(range, Change(change: .negation, replacement: text), in: context)
  }

  private mutating func findBinding(_ condition: SyntaxNode, _ context: Context) {
    guard condition.child("pattern")?.kind == "pattern_optional_some",
      let value = condition.child("initializer"), PlainType.isOptional(value.type),
      value.unwrapped.kind != "optional_evaluation_expr", let range = source.range(of: value)
    else { return }
    // In the short form `if let x` there is no expression that could be replaced.
    let before = source.bytes[..<range.lowerBound].last { $0 != 0x20 && $0 != 0x0a }
    guard before == UInt8(ascii: "=") else { return }
    addNil(range, in: context)
  }

  // MARK: - Operators

  private static let comparisons = [
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
  ]
  private static let equalities = ["==": "!=", "!=": "==", "===": "!==", "!==": "==="]
  private static let logical = ["&&": "||", "||": "&&"]
  private static let arithmetic = [
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&+": "&-", "&-": "&+", "&*": "&+",
    "<<": ">>", ">>": "<<", "&<<": "&>>", "&>>": "&<<", "&": "|", "|": "&", "^": "|",
  ]

  /// Remembers the comparison of `if a != b { return a < b }`, whose values are never equal.
  private mutating func noteComparisonOfUnequals(in node: SyntaxNode) {
    let conditions = node.children("conditions")
    let statements = node.child("then_stmt")?.children("elements") ?? []
    guard conditions.count == 1, statements.count == 1, statements[0].kind == "return_stmt",
      let returned = statements[0].child("result")?.unwrapped,
      let range = source.range(of: returned),
      let different = operands(of: conditions[0].unwrapped, where: { $0 == "!=" }),
      let compared = operands(of: returned, where: { Self.comparisons[$0] != nil }),
      different == compared
    else { return }
    comparisonsOfUnequals.insert(range)
  }

  /// The texts of a binary expression's operands if its operator fulfils a condition, and no operand calls a
  /// function, which may return another value the next time.
  private func operands(
    of node: SyntaxNode, where isFulfilled: (_ operatorName: String) -> Bool
  ) -> Set<String>? {
    guard node.kind == "binary_expr", let place = operatorRange(of: node),
      isFulfilled(source[place])
    else { return nil }
    let texts = node.arguments.compactMap { $0.child("expr") }
      .compactMap { source.range(of: $0) }.map { source[$0] }
    return texts.contains { $0.contains("(") } ? nil : Set(texts)
  }

  private mutating func findBinary(_ node: SyntaxNode, _ context: Context) {
    guard let place = operatorRange(of: node), let range = source.range(of: node) else { return }
    let name = source[place]
    func text(_ other: String) -> String { replacing(place, by: other, in: range) }
    let operands = node.arguments.compactMap { $0.child("expr") }
    if node.type == PlainType.bool {
      if let other = Self.equalities[name] {
        addNegation(range, Change(change: .comparison, replacement: text(other)), in: context)
      } else if var others = Self.comparisons[name] {
        // The first differs only for equal values.
        if operands.contains(where: MutationRules.isCurrentInstant)
          || comparisonsOfUnequals.contains(range)
        {
          others.removeFirst()
        }
        addChoice(
          range, others.map { Change(change: .comparison, replacement: text($0)) }, in: context)
      } else if let other = Self.logical[name] {
        addChoice(range, [Change(change: .logical, replacement: text(other))], in: context)
        for operand in operands {
          findDropped(operand, as: name == "&&" ? "true" : "false", context)
        }
      }
      findDroppedKeys(of: node, name, operands, context)
    }
    // An instant minus an instant is a duration, but plus an instant it is nothing; and a duration divided
    // by a duration is a number, but times a duration it is nothing.
    let types = Set(operands.map(\.type))
    let isUniform = types == [node.type] || types.count > 1 && !["+", "-"].contains(name)
    if let other = Self.arithmetic[name], PlainType.isNumber(node.type), isUniform {
      let isLiteral = operands.contains { $0.unwrapped.kind.hasSuffix("literal_expr") }
      let sides = ["+", "-"].contains(name) && !isLiteral ? operands : []
      let texts = [text(other)] + sides.compactMap { source.range(of: $0) }.map { source[$0] }
      addChoice(
        range, texts.map { Change(change: .arithmetic, replacement: $0) }, in: context)
    } else if name == "+", node.type == PlainType.string || PlainType.isArray(node.type),
      let left = operands.first, let shorter = source.range(of: left)
    {
      addChoice(
        range, [Change(change: .arithmetic, replacement: source[shorter])], in: context)
    } else if name == "??", let right = operands.last?.unwrapped,
      operands.first?.unwrapped.kind != "optional_evaluation_expr",
      let other = source.range(of: right)
    {
      addChoice(range, [Change(change: .optional, replacement: source[other])], in: context)
    } else if name == "..<" || name == "..." {
      for operand in operands { findBound(operand, context) }
    }
  }

  /// Leaves out each element of two tuples that are compared, such as a key of a sort order.
  private mutating func findDroppedKeys(
    of node: SyntaxNode, _ name: String, _ operands: [SyntaxNode], _ context: Context
  ) {
    let sides = operands.map { $0.unwrapped }.filter { $0.kind == "tuple_expr" }
      .map { $0.children("elements").compactMap { source.range(of: $0) } }
    guard let range = source.range(of: node), sides.count == 2, sides[0].count > 1,
      sides[0].count == sides[1].count, sides[0].count < 7
    else { return }
    let changes = sides[0].indices.map { index in
      let kept = sides.map { side in
        "(" + side.indices.filter { $0 != index }.map { source[side[$0]] }.joined(separator: ", ")
          + ")"
      }
      return Change(change: .droppedKey, replacement: kept.joined(separator: " \(name) "))
    }
    addChoice(range, changes, in: context)
  }

  /// Moves a bound of a range by one. A literal is left out, because the mutants of literals move it.
  private mutating func findBound(_ operand: SyntaxNode, _ context: Context) {
    guard operand.type == PlainType.int, operand.unwrapped.kind != "integer_literal_expr",
      let range = source.range(of: operand)
    else { return }
    let text = source[range]
    addOffset(range, ["(\(text)) + 1", "(\(text)) - 1"], in: context)
  }

  // MARK: - Calls

  private static let functions = [
    "min": "max", "max": "min", "hasPrefix": "hasSuffix", "hasSuffix": "hasPrefix",
  ]

  /// Finds the mutants of a call.
  ///
  /// - Returns: Whether the call's parts must not be mutated.
  private mutating func findCall(_ node: SyntaxNode, _ context: Context) -> Bool {
    guard let range = source.range(of: node) else { return false }
    let function = node.child("fn")?.reference
    if let function, let reason = MutationRules.reason(forCallOf: function) {
      exclude(range, reason, isComment: false)
      return true
    }
    for argument in node.arguments {
      guard let reason = MutationRules.reason(forArgument: argument["label"] ?? ""),
        let value = argument.child("expr").flatMap({ source.range(of: $0) })
      else { continue }
      exclude(value, reason, isComment: false)
    }
    if let function, let name = function.baseName, let other = Self.functions[name],
      function.usr.hasPrefix("s:s") || function.usr.hasPrefix("s:S"),
      let start = function.tokens?.upperBound, start + name.utf8.count <= source.bytes.count,
      source[start..<(start + name.utf8.count)] == name
    {
      let hasNoOrder = name == "min" || name == "max"
      let values = hasNoOrder ? node.arguments.compactMap { $0.child("expr") } : []
      let texts =
        [replacing(start..<(start + name.utf8.count), by: other, in: range)]
        + values.filter { $0.type == node.type }.compactMap { source.range(of: $0) }
        .map { source[$0] }
      addChoice(
        range, texts.map { Change(change: .function, replacement: $0) }, in: context)
      if hasNoOrder { return false }
    }
    findSwappedArguments(of: node, range, context)
    findDroppedCall(node, range, context)
    return false
  }

  private mutating func findSwappedArguments(
    of node: SyntaxNode, _ range: Range<Int>, _ context: Context
  ) {
    guard !node.type.contains("s5NeverO"), range.count < 400, !isDelegation(node),
      !MutationRules.isSwap(node)
    else { return }
    let arguments = node.arguments.filter { !$0.flag("inout") }.compactMap { $0.child("expr") }
    let pairs = arguments.indices.flatMap { first in
      arguments[(first + 1)...].map { (arguments[first], $0) }
    }
    var changes: [Change] = []
    for (first, second) in pairs {
      guard !first.type.isEmpty, first.type == second.type,
        first.kind != "default_argument_expr", second.kind != "default_argument_expr",
        !first.type.hasPrefix("$sy") || first.type == PlainType.void,
        let one = source.range(of: first), let two = source.range(of: second),
        one.upperBound < two.lowerBound, range.contains(one), range.contains(two),
        source[one] != source[two]
      else { continue }
      let text =
        source[range.lowerBound..<one.lowerBound] + source[two]
        + source[one.upperBound..<two.lowerBound] + source[one]
        + source[two.upperBound..<range.upperBound]
      changes.append(Change(change: .arguments, replacement: text))
    }
    addChoice(range, Array(changes.prefix(4)), in: context)
  }

  /// Replaces a call by what it is called on, if both have one type or are collections.
  private mutating func findDroppedCall(
    _ node: SyntaxNode, _ range: Range<Int>, _ context: Context
  ) {
    guard let function = node.child("fn"), function.kind == "dot_syntax_call_expr",
      let base = function.arguments.first?.child("expr"), !base.isImplicit,
      let place = source.range(of: base), range.contains(place)
    else { return }
    let text = source[place]
    // In an optional chain, the parts have other types than the whole.
    guard !text.contains("?") else { return }
    if base.type == node.type {
      addChoice(range, [Change(change: .droppedCall, replacement: text)], in: context)
    } else if PlainType.isArray(node.type), function.reference?.usr.hasPrefix("s:ST") == true,
      ["sorted", "reversed", "filter"].contains(function.reference?.baseName)
    {
      let change = Change(change: .droppedCall, replacement: "Array(\(text))")
      addChoice(range, [change], in: context)
    }
  }

  /// Swaps `first` and `last` of arrays and strings.
  private mutating func findMember(_ node: SyntaxNode, _ context: Context) {
    guard let name = node.baseName, let other = ["first": "last", "last": "first"][name],
      PlainType.isOptional(node.type), node.usr.hasPrefix("s:S"),
      let base = node.child("base")?.type, base == PlainType.string || PlainType.isArray(base),
      let range = source.range(of: node), range.count > name.utf8.count
    else { return }
    let place = (range.upperBound - name.utf8.count)..<range.upperBound
    guard source[place] == name else { return }
    addChoice(
      range, [Change(change: .function, replacement: replacing(place, by: other, in: range))],
      in: context)
  }

  private mutating func findOptionalChain(_ node: SyntaxNode, _ context: Context) {
    guard PlainType.isOptional(node.type), let range = source.range(of: node) else { return }
    addNil(range, in: context)
  }

  /// Adds an optional value that becomes `nil`.
  ///
  /// The change that people see keeps the value's type: `let x = nil` does not compile.
  private mutating func addNil(_ range: Range<Int>, in context: Context) {
    let change = Change(change: .optional, replacement: "(false ? \(source[range]) : nil)")
    add(range, [change], in: context) { numbers in
      numbers[0] == 0 ? "" : "(\(SwitchSource.function)(\(numbers[0])) ? (nil) : ("
    } suffix: { numbers in
      numbers[0] == 0 ? "" : "))"
    }
  }

  // MARK: - Values

  private mutating func findReturnValue(of node: SyntaxNode, _ context: Context) {
    guard let type = context.result, let value = node.child("result"),
      value.unwrapped.kind != "single_value_stmt_expr", let range = source.range(of: value)
    else { return }
    let text = source[range]
    let isNegatedAnyway = value.unwrapped.kind == "boolean_literal_expr"
    let values = PlainType.plainValues(of: type).filter { $0 != text && !isNegatedAnyway }
    guard !(text.hasPrefix("\"") && text.count == 2), !["[]", "[:]"].contains(text) else { return }
    addChoice(
      range, values.map { Change(change: .returnValue, replacement: $0) }, in: context)
  }

  private mutating func findNumber(_ node: SyntaxNode, _ context: Context) {
    guard !node.type.isEmpty, let range = source.range(of: node) else { return }
    let text = source[range]
    guard let value = Self.integer(text) else {
      if node.kind == "float_literal_expr", text.first?.isNumber == true {
        let changes = [Change(change: .number, replacement: "(\(text) + 1)")]
        addChoice(range, changes, in: context)
      }
      return
    }
    let isNegative = range.lowerBound > 0 && source.bytes[range.lowerBound - 1] == UInt8(ascii: "-")
    let limits = PlainType.limits(of: node.type) ?? (isNegative ? 1...Int128.max : 0...Int128.max)
    let least = isNegative ? 0 : limits.lowerBound
    let texts = [value + 1, value - 1].filter { $0 <= limits.upperBound && $0 >= least }
      .map { String($0) }
    if node.type == PlainType.int {
      addOffset(range, texts, isBelow: texts.count == 2, in: context)
    } else {
      addChoice(
        range, texts.map { Change(change: .number, replacement: $0) }, in: context)
    }
  }

  /// Adds an `Int` plus and minus 1, without an operator that the compiler would have to resolve.
  private mutating func addOffset(
    _ range: Range<Int>, _ texts: [String], isBelow: Bool = true, in context: Context
  ) {
    let changes = texts.map { Change(change: .number, replacement: $0) }
    add(range, changes, in: context) { numbers in
      numbers.allSatisfy { $0 == 0 } ? "" : "\(SwitchSource.offset)("
    } suffix: { numbers in
      numbers.allSatisfy { $0 == 0 }
        ? "" : ", \(numbers[0]), \(isBelow && numbers.count > 1 ? numbers[1] : 0))"
    }
  }

  private static func integer(_ text: String) -> Int128? {
    let digits = text.replacing("_", with: "")
    if digits.hasPrefix("0x") { return Int128(digits.dropFirst(2), radix: 16) }
    if digits.hasPrefix("0b") { return Int128(digits.dropFirst(2), radix: 2) }
    if digits.hasPrefix("0o") { return Int128(digits.dropFirst(2), radix: 8) }
    return digits.first?.isNumber == true ? Int128(digits) : nil
  }

  private mutating func findBoolean(_ node: SyntaxNode, _ context: Context) {
    guard node.type == PlainType.bool, let range = source.range(of: node) else { return }
    guard let other = ["true": "false", "false": "true"][source[range]] else { return }
    addNegation(range, Change(change: .boolean, replacement: other), in: context)
  }

  private mutating func findLiteral(_ node: SyntaxNode, _ context: Context) {
    guard let range = source.range(of: node), source.bytes[range.lowerBound] != 0x23 else { return }
    let text = source[range]
    var replacement: String?
    switch node.kind {
    case "string_literal_expr" where node.type == PlainType.string && text.hasPrefix("\""):
      replacement = text == "\"\"" ? "\"mutant\"" : "\"\""
    case "array_expr" where text.hasPrefix("[") && text != "[]": replacement = "[]"
    case "dictionary_expr" where text.hasPrefix("[") && text != "[:]": replacement = "[:]"
    default: break
    }
    guard let replacement else { return }
    let change = Change(change: .literal, replacement: replacement)
    guard replacement.hasPrefix("["), PlainType.isCollection(node.type) else {
      return addChoice(range, [change], in: context)
    }
    // `[]` alone has no element type, which a declaration needs. Before a member the literal must have its
    // type without the context, and may be a call's base.
    let hasMember =
      source.bytes[range.upperBound...].first { !" \n".utf8.contains($0) } == UInt8(ascii: ".")
    let typed = Change(
      change: .literal,
      replacement: hasMember
        ? "\(text).filter({ _ in false })" : "(false ? \(text) : \(replacement))")
    add(range, [typed], in: context) { numbers in
      numbers[0] == 0 ? "" : "\(SwitchSource.emptying)("
    } suffix: { numbers in
      numbers[0] == 0 ? "" : ", \(numbers[0]))"
    }
  }
}
