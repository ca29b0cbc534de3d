import ContractEvidence

/// What the journal says of the contract and the implementations behind some cases.
///
/// All cases that one call returns share one object, so that the recorder can tell by its identity
/// whether it has recorded the declaration.
final class CaseDeclaration: Sendable {
  let contract: ContractSummary
  let implementations: [ImplementationSummary]

  init(_ contract: ContractSummary, _ implementations: [ImplementationSummary] = []) {
    self.contract = contract
    self.implementations = implementations
  }
}
