/// A song on sale.
public struct Song: Hashable, Sendable, Codable, Identifiable {
  /// What tells songs apart.
  public var id: String

  /// What the song is called.
  public var title: String

  /// Makes a song.
  public init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}
