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
