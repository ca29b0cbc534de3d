import Testing

@testable import ContractTesting

/// Cases that name the same resource run one at a time.
@Suite struct ExclusiveResourcesTests {
  private func visit(
    _ counter: OverlapCounter, holding names: Set<String>, in resources: ExclusiveResources
  )
    async
  {
    await resources.withResources(names) { await counter.visit() }
  }

  @Test func `holders of one resource never overlap`() async {
    let resources = ExclusiveResources()
    let counter = OverlapCounter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { await visit(counter, holding: ["storage"], in: resources) }
      }
    }
    #expect(counter.most == 1)
    #expect(counter.visits == 100)
  }

  @Test func `holders of several resources do not deadlock`() async {
    let resources = ExclusiveResources()
    let counter = OverlapCounter()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        let names: Set = number.isMultiple(of: 2) ? ["a", "b"] : ["b", "c"]
        group.addTask { await visit(counter, holding: names, in: resources) }
      }
    }
    #expect(counter.most == 1)
    #expect(counter.visits == 100)
  }

  @Test func `a resource is released when its holder throws`() async {
    struct Refusal: Error {}
    let resources = ExclusiveResources()
    await #expect(throws: Refusal.self) {
      try await resources.withResources(["storage"]) { throw Refusal() }
    }
    let counter = OverlapCounter()
    await visit(counter, holding: ["storage"], in: resources)
    #expect(counter.visits == 1)
  }
}
