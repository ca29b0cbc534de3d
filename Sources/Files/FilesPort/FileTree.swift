/// The nodes of ``InMemoryFiles``, as values.
struct FileTree: Sendable {
  struct Node: Sendable {
    enum Content: Sendable {
      case file([UInt8])
      case directory([NameKey: Entry])
      case link(String)
    }

    var content: Content
    var permissions: Permissions
    var time: FileTime
    /// The directory that has the node.
    var parent: Int

    var kind: FileKind {
      switch content {
      case .file: .file
      case .directory: .directory
      case .link: .link
      }
    }

    var entries: [NameKey: Entry] {
      if case .directory(let entries) = content { entries } else { [:] }
    }

    /// The bytes that count towards the capacity.
    var size: Int { if case .file(let bytes) = content { bytes.count } else { 0 } }

    func allows(_ bits: UInt16) -> Bool { permissions.mode & (bits << 6) == bits << 6 }
  }

  struct Entry: Sendable {
    var name: String
    var node: Int
  }

  /// A name as it is compared. Strings are compared without regard to normalisation, and bytes exactly.
  enum NameKey: Hashable, Sendable {
    case exact([UInt8])
    case folded(String)
  }

  static let root = Int.zero

  /// Whether every change fails.
  var isReadOnly = false
  /// The time of the current call.
  var now: FileTime
  private let names: InMemoryFiles.Names
  private let capacity: Int?
  private let umask: Permissions
  private var nodes: [Int: Node] = [:]
  private(set) var next = 1
  private var size = 0

  init(names: InMemoryFiles.Names, capacity: Int?, umask: Permissions, now: FileTime) {
    self.names = names
    self.capacity = capacity
    self.umask = umask
    self.now = now
    nodes[Self.root] = Node(
      content: .directory([:]), permissions: 0o755, time: now, parent: Self.root)
  }

  /// A node by its number. A number that a caller has comes from an entry.
  subscript(_ id: Int) -> Node {
    get { nodes[id] ?? Node(content: .link(""), permissions: 0, time: now, parent: Self.root) }
    set { nodes[id] = newValue }
  }

  func key(_ name: String) -> NameKey {
    switch names {
    case .exact: .exact(Array(name.utf8))
    case .folded: .folded(name.lowercased())
    }
  }

  /// The number of nodes in memory.
  var count: Int { nodes.count }

  // MARK: - Changes

  /// Permissions of a new node.
  func permissions(_ mode: UInt16) -> Permissions { Permissions(mode: mode & ~umask.mode) }

  /// Fails if the bytes do not fit.
  func checkSpace(_ more: Int, at path: String) throws(FilesError) {
    if let capacity, size + more > capacity { throw FilesError(.noSpace, at: path) }
  }

  /// Replaces what a file contains.
  mutating func setBytes(_ bytes: [UInt8], of id: Int) {
    size += bytes.count - self[id].size
    self[id].content = .file(bytes)
    self[id].time = now
  }

  /// Adds a node to a directory. Returns its number.
  @discardableResult
  mutating func add(_ node: Node, as name: String, to directory: Int) -> Int {
    let id = next
    next += 1
    nodes[id] = node
    size += node.size
    attach(id, as: name, to: directory)
    return id
  }

  mutating func addDirectory(_ name: String, to directory: Int) -> Int {
    let node = Node(
      content: .directory([:]), permissions: permissions(0o777), time: now, parent: directory)
    return add(node, as: name, to: directory)
  }

  mutating func attach(_ id: Int, as name: String, to directory: Int) {
    self[id].parent = directory
    var entries = self[directory].entries
    entries[key(name)] = Entry(name: name, node: id)
    self[directory].content = .directory(entries)
    self[directory].time = now
  }

  /// Takes an entry out of its directory. The node stays.
  mutating func detach(_ name: String, from directory: Int) {
    var entries = self[directory].entries
    entries[key(name)] = nil
    self[directory].content = .directory(entries)
    self[directory].time = now
  }

  /// Forgets a node and all that is in it.
  mutating func forget(_ id: Int) {
    var pending = [id]
    while let id = pending.popLast() {
      pending += self[id].entries.values.map(\.node)
      size -= self[id].size
      nodes[id] = nil
    }
  }

  /// A node and all that is in it, directories before what they contain.
  func descendants(of id: Int) -> [Int] {
    var all = [id]
    var position = 0
    while position < all.count {
      all += self[all[position]].entries.values.map(\.node)
      position += 1
    }
    return all
  }

  /// Whether a directory is in another, or is that one.
  func isInside(_ id: Int, _ other: Int) -> Bool {
    var id = id
    while id != other, id != Self.root { id = self[id].parent }
    return id == other
  }
}
