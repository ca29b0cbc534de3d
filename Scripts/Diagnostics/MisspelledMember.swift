import ContractTesting
import Foundation
import Testing

extension Implementation<any Jobs> {
  static let scoped = live("scoped") { scope in
    let folder = try scope.temporaryDirectry()  // expect: value of type 'FixtureScope' has no member 'temporaryDirectry'
    return try FileJobs(folder)
  }
}

struct FileJobs: Jobs {
  init(_ folder: URL) throws {}
  func open() -> Int { 1 }
}

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
