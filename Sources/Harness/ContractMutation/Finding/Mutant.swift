/// One small change of a program, which a contract's clauses should notice.
package struct Mutant: Hashable, Sendable, Codable {
  /// What the change does.
  package enum Operator: String, Hashable, Sendable, Codable, CaseIterable {
    /// `<` to `<=` and `>=`, `==` to `!=`.
    case comparison
    /// A key of a comparison of tuples is left out, as in a sort order.
    case droppedKey = "dropped-key"
    /// `&&` to `||` and the reverse.
    case logical
    /// A condition or a `!` is negated.
    case negation
    /// A condition of a list, or an operand of `&&` or `||`, is left out.
    case droppedCondition = "dropped-condition"
    /// `+` to `-` and the like, also in assignments; `a - b` to `a` or `b`.
    case arithmetic
    /// A literal or the bound of a range plus or minus 1.
    case number
    /// `min` to `max` or to one of its arguments, `hasPrefix` to `hasSuffix` and the like.
    case function
    /// `true` to `false` and the reverse.
    case boolean
    /// `a ?? b` to `b`, an optional chain or a binding to `nil`.
    case optional
    /// A statement is removed.
    case removal
    /// A plain value is returned.
    case returnValue = "return-value"
    /// A string or a collection becomes empty, or an empty string becomes a text.
    case literal
    /// Two arguments of one type are swapped.
    case arguments
    /// `x.sorted()` to `x`: a call whose result has the type of what it is called on.
    case droppedCall = "dropped-call"
    /// `d[k] = x` only where the dictionary has no entry.
    case keptEntry = "kept-entry"
    /// A `catch` does nothing.
    case swallowedError = "swallowed-error"
    /// A `case` of a `switch` does what the next one does.
    case neighbourCase = "neighbour-case"
  }

  /// A stable id: a fingerprint of file, declaration, operator, change and position among equals.
  package var id: String

  /// The file, relative to the package.
  package var file: String

  /// The function or property that contains the change, as `Type.name`.
  package var declaration: String

  /// The operator.
  package var `operator`: Operator

  /// The text that is changed.
  package var original: String

  /// The text that replaces it.
  package var replacement: String

  /// Where the text begins.
  package var start: Position

  /// Where the text ends, exclusive.
  package var end: Position

  /// A place in a file.
  package struct Position: Hashable, Sendable, Codable {
    /// The line, from 1.
    package var line: Int
    /// The column in bytes, from 1.
    package var column: Int

    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }
}

/// A place in a file that is woven: text to insert before and after it, for one or several mutants.
///
/// Weaving only inserts text, so that places may contain each other.
struct MutationPoint {
  /// The woven range in bytes; empty for a statement that is inserted.
  var range: Range<Int>

  /// The mutants, whose numbers ``prefix`` and ``suffix`` refer to.
  var mutants: [Mutant]

  /// The indices of mutants that a comment leaves out.
  var leftOut: Set<Int> = []

  /// What to insert before the range. It takes the numbers of the mutants, or 0 for a dropped one.
  var prefix: @Sendable ([Int]) -> String

  /// What to insert after the range.
  var suffix: @Sendable ([Int]) -> String
}

/// A place that is not mutated, and why.
package struct ExcludedPlace: Hashable, Sendable, Codable {
  /// The file, relative to the package.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The reason: a rule's, or the comment's.
  package var reason: String
  /// Whether a comment in the source excludes it.
  package var isComment: Bool
}
