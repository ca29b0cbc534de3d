/// Which clauses a saboteur fails besides those that it names.
///
/// A saboteur with one flaw fails the clauses about that flaw. One that fails most of a contract is broken
/// altogether: it shows that the clauses run, and not that they notice its flaw.
public struct SaboteurBreadth: Hashable, Sendable {
  /// The contract's id.
  public var contract: String
  /// The saboteur's id.
  public var saboteur: String
  /// The clauses that it fails without naming them, in the contract's order.
  public var failed: [String]
  /// How many clauses that it does not name ran.
  public var ran: Int
  /// Whether it says which message the clauses that it names must give.
  public var hasMessage: Bool

  package init(contract: String, saboteur: String, failed: [String], ran: Int, hasMessage: Bool) {
    self.contract = contract
    self.saboteur = saboteur
    self.failed = failed
    self.ran = ran
    self.hasMessage = hasMessage
  }

  /// Whether it fails more than half of the clauses that it does not name, of at least four.
  public var isBrokenAltogether: Bool { ran >= 4 && failed.count * 2 > ran }

  /// The least number of unnamed clauses that ask for a message.
  private static let several = 3

  /// What to do about the saboteur, or `nil`.
  public var advice: String? {
    if isBrokenAltogether {
      return
        "the saboteur \(saboteur) fails \(failed.count) of \(ran) clauses that it does not name: it is "
        + "broken altogether and proves little; narrow its flaw"
    }
    guard !hasMessage, failed.count >= Self.several else { return nil }
    return
      "the saboteur \(saboteur) also fails \(failed.joined(separator: ", ")); give it saying:, so that "
      + "the clauses that it names must fail for its flaw"
  }
}
