/// The stable name of one case: `contract/clause@implementation`.
public struct CaseID: Hashable, Sendable, Comparable, LosslessStringConvertible {
  /// The contract's id.
  public var contract: String

  /// The clause's id.
  public var clause: String

  /// The implementation's id.
  public var implementation: String

  /// Creates the id of a clause's case on one implementation.
  public init(contract: String, clause: String, implementation: String) {
    self.contract = contract
    self.clause = clause
    self.implementation = implementation
  }

  /// Parses an id; returns `nil` if one of the three parts is missing or empty.
  public init?(_ description: String) {
    guard let at = description.lastIndex(of: "@"),
      let slash = description[..<at].firstIndex(of: "/")
    else { return nil }
    contract = String(description[..<slash])
    clause = String(description[description.index(after: slash)..<at])
    implementation = String(description[description.index(after: at)...])
    if contract.isEmpty || clause.isEmpty || implementation.isEmpty { return nil }
  }

  public var description: String { "\(contract)/\(clause)@\(implementation)" }

  public static func < (a: CaseID, b: CaseID) -> Bool {
    (a.contract, a.clause, a.implementation) < (b.contract, b.clause, b.implementation)
  }
}

/// Whether a string can be part of a case id: not empty, only lower-case letters, digits, `-`, `.`.
///
/// - Parameter id: The id of a contract, clause, implementation, capability or saboteur.
package func isValidID(_ id: String) -> Bool {
  !id.isEmpty
    && id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
}
