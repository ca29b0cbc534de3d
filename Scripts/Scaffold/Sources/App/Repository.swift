/// Stores values by their ids.
public protocol Repository<Entity>: Sendable {
  associatedtype Entity: Identifiable & Sendable & Codable where Entity.ID: Sendable

  /// Saves a value. It replaces the value with the same id.
  func save(_ entity: Entity) async throws
  func find(_ id: Entity.ID) async throws -> Entity?
  func all() async throws -> [Entity]
  func remove(_ entities: some Sequence<Entity> & Sendable) async throws
  func load<Value: Decodable>(_ type: Value.Type, named name: String) async throws -> Value
    where Value: Sendable
  func transaction<R: Sendable>(_ body: @escaping @Sendable (Self) async throws -> R) async throws -> R
}
