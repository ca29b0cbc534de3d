import FilesPort
import Foundation

/// Directories with all that is in them.
///
/// One directory of a tree is open at a time: a tree of a thousand levels would need more descriptors than a process has,
/// and a path through it could be led elsewhere by a link.
extension DiskFiles {
  public func copy(_ source: String, to destination: String) throws(FilesError) {
    let from = try place(source, .withSlash)
    let attributes = try from.found()
    let to = try vacancy(destination)
    if to.isDirectory, attributes.kind != .directory {
      throw FilesError(.notDirectory, at: destination)
    }
    if to.ancestors.contains(Identity(attributes)) {
      throw FilesError(.intoItself, at: destination)
    }
    let copy = Tree(to)
    do throws(FilesError) { try copy.copyAll(of: Tree(from)) } catch {
      copy.removeCreated()
      throw error
    }
  }

  public func removeTree(_ path: String) throws(FilesError) {
    let (place, attributes) = try occupant(path)
    guard place.allowsChanges else { throw FilesError(.notPermitted, at: path) }
    let tree = Tree(place)
    guard attributes.kind == .directory else { return try tree.removeTop() }
    let directories = try tree.directories()
    try tree.checkRemoval(of: directories)
    try tree.remove(directories)
  }
}

/// A node and what is in it.
///
/// A node is a number, and the top is 0. Its way is its directory's and its name, so the way of each node needs no list of
/// its own: a thousand levels would have a thousand names each.
private final class Tree {
  private struct Node {
    /// It need not be UTF-8.
    var name: Name
    var directory: Int?
    var depth: Int
  }

  private let top: Place
  private var nodes: [Node]
  /// The directory that was used last, and those on the way to it, from the top.
  private var current: Descriptor
  private var way: [(node: Int, directory: Identity)] = []
  /// What copies have created, with the flags that remove it.
  private var created: [(node: Int, flags: Int32)] = []

  init(_ top: Place) {
    self.top = top
    nodes = [Node(name: top.entry, directory: nil, depth: 0)]
    current = top.directory
  }

  private func calling<Value>(
    _ body: @autoclosure () throws(Failure) -> Value
  ) throws(FilesError) -> Value {
    try top.calling(try body())
  }

  /// Adds the nodes of a directory, and returns their numbers.
  private func add(_ names: [Name], in directory: Int) -> Range<Int> {
    let first = nodes.count
    nodes += names.map {
      Node(name: $0, directory: directory, depth: nodes[directory].depth + 1)
    }
    return first..<nodes.count
  }

  /// The directory of a node, and the node's name in it. It is sought from the directory that was used last.
  private func parent(_ node: Int) throws(FilesError) -> (Descriptor, Name) {
    var missing: [Int] = []
    var next = nodes[node].directory
    while let directory = next {
      let depth = nodes[directory].depth
      if depth < way.count, way[depth].node == directory { break }
      missing.append(directory)
      next = nodes[directory].directory
    }
    let common = next.map { nodes[$0].depth + 1 } ?? 0
    while way.count > common {
      way.removeLast()
      guard let expected = way.last else {
        current = top.directory
        break
      }
      current = try calling(try current.directory(".."))
      // Another process may have moved the directory.
      let found = Identity(try calling(try current.attributes(".")))
      if found != expected.directory { throw FilesError(.notFound, at: top.path) }
    }
    for directory in missing.reversed() {
      let inner = try calling(try current.directory(nodes[directory].name))
      way.append((directory, Identity(try calling(try inner.attributes(".")))))
      current = inner
    }
    return (current, nodes[node].name)
  }

  private func names(in node: Int) throws(FilesError) -> [Name] {
    let (parent, name) = try parent(node)
    return try calling(try parent.names(in: name))
  }

  // MARK: - Copies

  /// Copies another tree to the place of this one, where nothing is. A node has the same number in both.
  func copyAll(of original: Tree) throws(FilesError) {
    var directories: [(node: Int, mode: mode_t)] = []
    var pending = [0]
    while let node = pending.popLast() {
      guard let mode = try copyNode(node, of: original) else { continue }
      directories.append((node, mode))
      let names = try original.names(in: node)
      _ = original.add(names, in: node)
      pending += add(names, in: node)
    }
    // A directory that may not be written gets its permissions when all is in it.
    for (node, mode) in directories.reversed() {
      let (directory, name) = try parent(node)
      _ = try calling(
        try check(fchmodat(directory.raw, name.cString, mode, AT_SYMLINK_NOFOLLOW)))
    }
  }

  /// Copies one node without what is in it. Returns the mode of a directory, for later, and nil for others.
  private func copyNode(_ node: Int, of original: Tree) throws(FilesError) -> mode_t? {
    let (from, name) = try original.parent(node)
    let (to, newName) = try parent(node)
    let attributes = try original.calling(try from.attributes(name))
    let mode = attributes.st_mode & 0o777
    switch attributes.kind {
    case .link:
      let target = try original.calling(try from.target(name))
      _ = try calling(try check(symlinkat(target.cString, to.raw, newName.cString)))
      created.append((node, 0))
    case .file:
      let file = try original.calling(try from.open(name, O_NONBLOCK))
      let flags = O_WRONLY | O_CREAT | O_EXCL
      let copy = try calling(try to.create(newName, flags, mode: mode))
      created.append((node, 0))
      let bytes = try original.calling(try file.read())
      try calling(try copy.write(bytes))
      // The process's umask has taken some.
      _ = try calling(try check(fchmod(copy.raw, mode)))
    case .directory:
      _ = try calling(try check(mkdirat(to.raw, newName.cString, S_IRWXU)))
      created.append((node, AT_REMOVEDIR))
      return mode
    case .other:
      throw FilesError(.notSupported, at: original.top.path)
    }
    return nil
  }

  /// Removes what copies have created. What somebody else has put there stays.
  func removeCreated() {
    for (node, flags) in created.reversed() {
      guard let (directory, name) = try? parent(node) else { continue }
      unlinkat(directory.raw, name.cString, flags)
    }
  }

  // MARK: - Removal

  /// Removes a node that is no directory.
  func removeTop() throws(FilesError) { try unlink(top.entry, in: top.directory) }

  /// The directories in the tree, each before those in it.
  func directories() throws(FilesError) -> [Int] {
    var all: [Int] = []
    var pending = [0]
    while let node = pending.popLast() {
      let (parent, name) = try parent(node)
      guard try calling(try parent.attributes(name)).kind == .directory else { continue }
      all.append(node)
      pending += add(try names(in: node), in: node)
    }
    return all
  }

  /// Fails if one of the directories does not let its entries be removed.
  func checkRemoval(of directories: [Int]) throws(FilesError) {
    for node in directories where !(try names(in: node).isEmpty) {
      let (parent, name) = try parent(node)
      if !parent.allows(W_OK | X_OK, name) { throw FilesError(.notPermitted, at: top.path) }
    }
  }

  /// Removes directories and what is in them, the last first.
  func remove(_ directories: [Int]) throws(FilesError) {
    for node in directories.reversed() {
      let (parent, name) = try parent(node)
      let entries = try names(in: node)
      // An empty directory need not be one that may be searched.
      let directory = entries.isEmpty ? parent : try calling(try parent.directory(name))
      // What was a file before may be a directory now: then the tree stays, with an error.
      for entry in entries { try unlink(entry, in: directory) }
      try unlink(name, in: parent, AT_REMOVEDIR)
    }
  }

  private func unlink(
    _ name: Name, in directory: Descriptor, _ flags: Int32 = .zero
  ) throws(FilesError) {
    _ = try calling(try check(unlinkat(directory.raw, name.cString, flags)))
  }
}
