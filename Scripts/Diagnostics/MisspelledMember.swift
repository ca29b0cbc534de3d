import ContractTesting
import Testing

protocol Jobs: Sendable {
  func open() -> Int
}

extension Contract<any Jobs> {
  static let jobs = Contract("jobs", "Jobs") {
    ClauseGroup("Group") {
      Clause("opens", "a correct clause") { jobs in
        let count = jobs.open()
        #expect(count == 1)
      }
    }
    Clause("misspelled", "a clause with a typo") { jobs in
      let count = jobs.opn()  // expect: value of type 'any Jobs' has no member 'opn'
      #expect(count == 1)
    }
  } saboteurs: {
    Saboteur("typo", "a saboteur with a typo", caughtBy: "opens") { Brokn() }  // expect: cannot find 'Brokn' in scope
  }
}
