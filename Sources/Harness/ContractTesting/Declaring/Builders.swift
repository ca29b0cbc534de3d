/// Anything that a contract's body can list: a clause, an absence, a group or an array of these.
///
/// One protocol lets ``ClauseBuilder`` have one `buildExpression`. With an overload for each type, the
/// compiler reports a typo in a clause's body as `no exact matches in call to 'buildExpression'` at
/// the clause's first line, and never names the typo.
public protocol ClauseSource<Fixture> {
  /// What the clauses receive.
  associatedtype Fixture

  /// The clauses, in order.
  var clauses: [Clause<Fixture>] { get }
}

extension Clause: ClauseSource {
  /// An array of this clause.
  public var clauses: [Clause<Fixture>] { [self] }
}

extension Absence: ClauseSource {
  /// An array of the absence's clause.
  public var clauses: [Clause<Fixture>] { [clause] }
}

extension ClauseGroup: ClauseSource {}

extension Array: ClauseSource where Element: ClauseSource {
  /// What the clauses receive.
  public typealias Fixture = Element.Fixture

  /// The clauses of all elements.
  public var clauses: [Clause<Element.Fixture>] { flatMap(\.clauses) }
}

/// Collects the clauses of a contract or a group.
@resultBuilder
public enum ClauseBuilder<Fixture> {
  /// Collects the clauses of one expression.
  public static func buildExpression(_ source: some ClauseSource<Fixture>) -> [Clause<Fixture>] {
    source.clauses
  }

  /// Joins the clauses of a block.
  public static func buildBlock(_ clauses: [Clause<Fixture>]...) -> [Clause<Fixture>] {
    clauses.flatMap(\.self)
  }

  /// Joins the clauses of a `for` loop.
  public static func buildArray(_ clauses: [[Clause<Fixture>]]) -> [Clause<Fixture>] {
    clauses.flatMap(\.self)
  }

  /// Collects the clauses of an `if` without `else`.
  public static func buildOptional(_ clauses: [Clause<Fixture>]?) -> [Clause<Fixture>] {
    clauses ?? []
  }

  /// Collects the clauses of an `if`.
  public static func buildEither(first clauses: [Clause<Fixture>]) -> [Clause<Fixture>] { clauses }

  /// Collects the clauses of an `else`.
  public static func buildEither(second clauses: [Clause<Fixture>]) -> [Clause<Fixture>] { clauses }

  /// Collects the clauses of an `#available` block.
  public static func buildLimitedAvailability(
    _ clauses: [Clause<Fixture>]
  ) -> [Clause<Fixture>] { clauses }
}

/// Anything that a contract's `saboteurs:` body can list: a saboteur or an array of these.
///
/// As with ``ClauseSource``, one protocol instead of overloads makes the compiler report a typo in a
/// saboteur's body where it is.
public protocol SaboteurSource<Fixture> {
  /// What the saboteurs make.
  associatedtype Fixture

  /// The saboteurs, in order.
  var saboteurs: [Saboteur<Fixture>] { get }
}

extension Saboteur: SaboteurSource {
  /// An array of this saboteur.
  public var saboteurs: [Saboteur<Fixture>] { [self] }
}

extension Array: SaboteurSource where Element: SaboteurSource {
  /// The saboteurs of all elements.
  public var saboteurs: [Saboteur<Element.Fixture>] { flatMap(\.saboteurs) }
}

/// Collects the saboteurs of a contract.
@resultBuilder
public enum SaboteurBuilder<Fixture> {
  /// Collects the saboteurs of one expression.
  public static func buildExpression(
    _ source: some SaboteurSource<Fixture>
  ) -> [Saboteur<Fixture>] { source.saboteurs }

  /// Joins the saboteurs of a block.
  public static func buildBlock(_ saboteurs: [Saboteur<Fixture>]...) -> [Saboteur<Fixture>] {
    saboteurs.flatMap(\.self)
  }

  /// Joins the saboteurs of a `for` loop.
  public static func buildArray(_ saboteurs: [[Saboteur<Fixture>]]) -> [Saboteur<Fixture>] {
    saboteurs.flatMap(\.self)
  }

  /// Collects the saboteurs of an `if` without `else`.
  public static func buildOptional(_ saboteurs: [Saboteur<Fixture>]?) -> [Saboteur<Fixture>] {
    saboteurs ?? []
  }

  /// Collects the saboteurs of an `if`.
  public static func buildEither(first saboteurs: [Saboteur<Fixture>]) -> [Saboteur<Fixture>] {
    saboteurs
  }

  /// Collects the saboteurs of an `else`.
  public static func buildEither(second saboteurs: [Saboteur<Fixture>]) -> [Saboteur<Fixture>] {
    saboteurs
  }

  /// Collects the saboteurs of an `#available` block.
  public static func buildLimitedAvailability(
    _ saboteurs: [Saboteur<Fixture>]
  ) -> [Saboteur<Fixture>] { saboteurs }
}
