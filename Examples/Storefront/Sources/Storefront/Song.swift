/// A song on sale.
public struct Song: Hashable, Sendable, Codable, Identifiable {
  /// The unique id.
  public var id: String

  /// The title.
  public var title: String

  /// Creates a song.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}
