import Testing

@testable import ContractTesting

/// What a process has only one of is used by one case at a time.
@Suite struct ExclusiveResourcesTests {
  private func visit(_ room: Room, holding names: Set<String>, in resources: ExclusiveResources)
    async
  {
    await resources.holding(names) { await room.visit() }
  }

  @Test func `holders of one resource never overlap`() async {
    let resources = ExclusiveResources()
    let room = Room()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { await visit(room, holding: ["storage"], in: resources) }
      }
    }
    #expect(room.most == 1)
    #expect(room.visits == 100)
  }

  @Test func `holders of several resources never wait for each other in a circle`() async {
    let resources = ExclusiveResources()
    let room = Room()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        let names: Set = number.isMultiple(of: 2) ? ["a", "b"] : ["b", "c"]
        group.addTask { await visit(room, holding: names, in: resources) }
      }
    }
    #expect(room.most == 1)
    #expect(room.visits == 100)
  }

  @Test func `a resource is given back when its holder throws`() async {
    struct Refusal: Error {}
    let resources = ExclusiveResources()
    await #expect(throws: Refusal.self) {
      try await resources.holding(["storage"]) { throw Refusal() }
    }
    let room = Room()
    await visit(room, holding: ["storage"], in: resources)
    #expect(room.visits == 1)
  }
}
