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
    let (place, _) = try occupant(path)
    guard place.allowsChanges else { throw FilesError(.notPermitted, at: path) }
    let tree = Tree(place)
    try tree.checkRemoval()
    try tree.remove()
  }
}

/// A node and what is in it, by chains of names, which need not be UTF-8.
private final class Tree {
  private let top: Place
  /// The directory that was used last, and those on the way to it from the top.
  private var current: Descriptor
  private var way: [(name: Name, directory: Identity)] = []
  /// What copies have created, with the flags that remove it.
  private var created: [(chain: [Name], flags: Int32)] = []

  init(_ top: Place) {
    self.top = top
    current = top.directory
  }

  private func calling<Value>(
    _ body: @autoclosure () throws(Failure) -> Value
  ) throws(FilesError) -> Value {
    try top.calling(try body())
  }

  /// The directory of the last name of a chain, and that name. It is sought from the directory that was used last.
  private func parent(_ chain: [Name]) throws(FilesError) -> (Descriptor, Name) {
    let names = [top.entry] + chain
    let common = zip(way, names.dropLast()).prefix { $0.name == $1 }.count
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
    for next in names[way.count..<chain.count] {
      let inner = try calling(try current.directory(next))
      way.append((next, Identity(try calling(try inner.attributes(".")))))
      current = inner
    }
    return (current, names[chain.count])
  }

  private func names(in chain: [Name]) throws(FilesError) -> [Name] {
    let (parent, name) = try parent(chain)
    return try calling(try parent.names(in: name))
  }

  // MARK: - Copies

  /// Copies another tree to the place of this one, where nothing is.
  func copyAll(of original: Tree) throws(FilesError) {
    var directories: [(chain: [Name], mode: mode_t)] = []
    var pending: [[Name]] = [[]]
    while let chain = pending.popLast() {
      guard let mode = try copyNode(chain, of: original) else { continue }
      directories.append((chain, mode))
      pending += try original.names(in: chain).map { chain + [$0] }
    }
    // A directory that may not be written gets its permissions when all is in it.
    for (chain, mode) in directories.reversed() {
      let (directory, name) = try parent(chain)
      _ = try calling(
        try check(fchmodat(directory.raw, name.cString, mode, AT_SYMLINK_NOFOLLOW)))
    }
  }

  /// Copies one node without what is in it. Returns the mode of a directory, for later, and nil for others.
  private func copyNode(_ chain: [Name], of original: Tree) throws(FilesError) -> mode_t? {
    let (from, name) = try original.parent(chain)
    let (to, newName) = try parent(chain)
    let attributes = try original.calling(try from.attributes(name))
    let mode = attributes.st_mode & 0o777
    switch attributes.kind {
    case .link:
      let target = try original.calling(try from.target(name))
      _ = try calling(try check(symlinkat(target.cString, to.raw, newName.cString)))
      created.append((chain, 0))
    case .file:
      let file = try original.calling(try from.open(name, O_NONBLOCK))
      let flags = O_WRONLY | O_CREAT | O_EXCL
      let copy = try calling(try to.create(newName, flags, mode: mode))
      created.append((chain, 0))
      let bytes = try original.calling(try file.read())
      try calling(try copy.write(bytes))
      // The process's umask has taken some.
      _ = try calling(try check(fchmod(copy.raw, mode)))
    case .directory:
      _ = try calling(try check(mkdirat(to.raw, newName.cString, S_IRWXU)))
      created.append((chain, AT_REMOVEDIR))
      return mode
    case .other:
      throw FilesError(.notSupported, at: original.top.path)
    }
    return nil
  }

  /// Removes what copies have created. What somebody else has put there stays.
  func removeCreated() {
    for (chain, flags) in created.reversed() {
      guard let (directory, name) = try? parent(chain) else { continue }
      unlinkat(directory.raw, name.cString, flags)
    }
  }

  // MARK: - Removal

  /// The directories in the tree, each before those in it.
  private func directories() throws(FilesError) -> [[Name]] {
    var all: [[Name]] = []
    var pending: [[Name]] = [[]]
    while let chain = pending.popLast() {
      let (parent, name) = try parent(chain)
      guard try calling(try parent.attributes(name)).kind == .directory else { continue }
      all.append(chain)
      pending += try names(in: chain).map { chain + [$0] }
    }
    return all
  }

  /// Fails if a directory of the tree does not let its entries be removed.
  func checkRemoval() throws(FilesError) {
    for chain in try directories() where !(try names(in: chain).isEmpty) {
      let (parent, name) = try parent(chain)
      if !parent.allows(W_OK | X_OK, name) { throw FilesError(.notPermitted, at: top.path) }
    }
  }

  func remove() throws(FilesError) {
    guard try calling(try top.directory.attributes(top.entry)).kind == .directory else {
      return try unlink(top.entry, in: top.directory)
    }
    for chain in try directories().reversed() {
      let (parent, name) = try parent(chain)
      let entries = try names(in: chain)
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
