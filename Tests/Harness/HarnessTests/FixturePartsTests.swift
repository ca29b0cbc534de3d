import Testing

@testable import ContractTesting

@Suite struct FixturePartsTests {
  private protocol Port: Sendable {}
  private struct Memory: Port { var texts = ["a": 1] }
  private struct Wrapper: Port { var port: any Port }
  private final class Service: Port {
    let port = Memory()
  }
  private struct World: Sendable {
    var port: any Port
    var spare: (any Port)?
    var make: (@Sendable () -> any Port)?
  }
  private indirect enum Chain: Port {
    case link(Chain)
    case end(Memory)
  }

  private func names<Fixture>(_ fixture: Fixture) -> [String]? {
    FixtureParts.types(of: fixture)?.map { String($0.split(separator: ".").last ?? "") }
  }

  @Test func `a fixture behind a protocol is made of its type and of the types inside`() {
    #expect(names(Memory() as any Port) == ["Memory"])
    #expect(names(Wrapper(port: Memory()) as any Port) == ["Memory", "Wrapper"])
  }

  @Test func `the type that all implementations share is left out`() {
    #expect(names(Memory()) == [])
    #expect(names(World(port: Memory())) == ["Memory"])
    #expect(names(World(port: Memory(), spare: Wrapper(port: Memory()))) == ["Memory", "Wrapper"])
  }

  @Test func `a closure may hold anything`() {
    #expect(names(World(port: Memory(), make: { Memory() })) == nil)
    #expect(names({ 1 }) == nil)
  }

  @Test func `objects are named, and not looked into`() {
    #expect(names(Service() as any Port) == ["Service"])
  }

  @Test func `deep values end the search`() {
    let chain = (1...10_000).reduce(Chain.end(Memory())) { chain, _ in .link(chain) }
    #expect(names(chain as any Port) == ["Chain"])
  }
}
