/// How many mutants of each target the cases of one contract on one implementation reach.
package struct ImplementationReach: Hashable, Sendable, Codable {
  /// The contract's id.
  package var contract: String
  /// The implementation's id.
  package var implementation: String
  /// Whether the implementation is a fake.
  package var isFake: Bool
  /// The number of mutants by target, 0 where it reaches none.
  package var mutants: [String: Int]

  fileprivate var name: String { "\(contract)@\(implementation)" }
  fileprivate func reaches(_ target: String) -> Bool { mutants[target, default: 0] > 0 }
}

extension [ImplementationReach] {
  /// The live implementations that never reach their adapter, as sentences.
  ///
  /// A target that no fake reaches is an adapter. It is the adapter of the implementations that
  /// reach it in some contract; if none does, it may be that of any.
  var impostors: [String] {
    let targets = Set(flatMap(\.mutants.keys)).sorted()
    return targets.flatMap { target -> [String] in
      if contains(where: { $0.isFake && $0.reaches(target) }) { return [] }
      let owners = Set(filter { $0.reaches(target) }.map(\.implementation))
      let suspects = filter { column in
        !column.isFake && !column.reaches(target)
          && (owners.isEmpty || owners.contains(column.implementation))
      }
      return suspects.map(\.name).sorted().map {
        "impostor: no case of \($0) reaches any code of \(target)"
      }
    }
  }
}
