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
    let original = Tree(top: from.directory, name: from.entry)
    let copy = Tree(top: to.directory, name: to.entry)
    do throws(FilesError) {
      try copyAll(of: original, to: copy, source, destination)
    } catch {
      // What somebody else has put there stays.
      if copy.isNew, error.reason != .exists { try? copy.remove() }
      throw error
    }
  }

  private func copyAll(
    of original: Tree, to copy: Tree, _ source: String, _ destination: String
  ) throws(FilesError) {
    var directories: [(chain: [Name], mode: mode_t)] = []
    var pending: [[Name]] = [[]]
    while let chain = pending.popLast() {
      do throws(CopyFailure) {
        guard let mode = try original.copyNode(chain, to: copy) else { continue }
        directories.append((chain, mode))
        let names = try CopyFailure.ofSource { () throws(Failure) in
          try original.names(in: chain)
        }
        pending += names.map { chain + [$0] }
      } catch {
        throw FilesError(error.reason, at: error.isSource ? source : destination)
      }
    }
    // A directory that may not be written gets its permissions when all is in it.
    do throws(Failure) {
      for (chain, mode) in directories.reversed() { try copy.setMode(mode, of: chain) }
    } catch { throw FilesError(error.reason, at: destination) }
  }

  public func removeTree(_ path: String) throws(FilesError) {
    let (place, _) = try occupant(path)
    let tree = Tree(top: place.directory, name: place.entry)
    try place.calling { () throws(Failure) in
      guard place.directory.allows(W_OK | X_OK, ".") else { throw Failure(code: EACCES) }
      try tree.checkRemoval()
      try tree.remove()
    }
  }
}

/// A failure of a copy, and on which side.
private struct CopyFailure: Error {
  var reason: FilesError.Reason
  var isSource: Bool

  static func ofSource<Value>(
    _ body: () throws(Failure) -> Value
  ) throws(CopyFailure) -> Value {
    do throws(Failure) { return try body() } catch {
      throw CopyFailure(reason: error.reason, isSource: true)
    }
  }

  @discardableResult
  static func ofCopy<Value>(_ body: () throws(Failure) -> Value) throws(CopyFailure) -> Value {
    do throws(Failure) { return try body() } catch {
      throw CopyFailure(reason: error.reason, isSource: false)
    }
  }
}

/// A node and what is in it, by chains of names, which need not be UTF-8.
private final class Tree {
  private let top: Descriptor
  private let name: Name
  /// The directory that was used last, and those on the way to it from `top`.
  private var current: Descriptor
  private var way: [(name: Name, directory: Identity)] = []
  /// Whether a call of this value has created the node.
  private(set) var isNew = false

  init(top: Descriptor, name: Name) {
    self.top = top
    self.name = name
    current = top
  }

  /// The directory of the last name of a chain, and that name. It is sought from the directory that was used last.
  private func parent(_ chain: [Name]) throws(Failure) -> (Descriptor, Name) {
    let names = [name] + chain
    let common = zip(way, names.dropLast()).prefix { $0.name == $1 }.count
    while way.count > common {
      way.removeLast()
      guard let expected = way.last else {
        current = top
        break
      }
      current = try current.directory("..")
      // Another process may have moved the directory.
      let found = Identity(try current.attributes("."))
      if found != expected.directory { throw Failure(code: ENOENT) }
    }
    for next in names[way.count..<chain.count] {
      let inner = try current.directory(next)
      way.append((next, Identity(try inner.attributes("."))))
      current = inner
    }
    return (current, names[chain.count])
  }

  func names(in chain: [Name]) throws(Failure) -> [Name] {
    let (parent, name) = try parent(chain)
    return try parent.names(in: name)
  }

  /// Copies one node without what is in it. Returns the mode of a directory, for later, and nil for others.
  func copyNode(_ chain: [Name], to copy: Tree) throws(CopyFailure) -> mode_t? {
    let (from, name) = try CopyFailure.ofSource { () throws(Failure) in try parent(chain) }
    let (to, newName) = try CopyFailure.ofCopy { () throws(Failure) in try copy.parent(chain) }
    let attributes = try CopyFailure.ofSource { () throws(Failure) in
      try from.attributes(name)
    }
    switch attributes.kind {
    case .link:
      let target = try CopyFailure.ofSource { () throws(Failure) in try from.target(name) }
      try CopyFailure.ofCopy { () throws(Failure) in
        try check(symlinkat(target.cString, to.raw, newName.cString))
      }
      copy.isNew = true
    case .file:
      let original = try CopyFailure.ofSource { () throws(Failure) in
        try from.open(name, O_NONBLOCK)
      }
      let file = try CopyFailure.ofCopy { () throws(Failure) in
        try to.open(newName, O_WRONLY | O_CREAT | O_EXCL)
      }
      copy.isNew = true
      let bytes = try CopyFailure.ofSource { () throws(Failure) in try original.read() }
      try CopyFailure.ofCopy { () throws(Failure) in
        try file.write(bytes)
        try check(fchmod(file.raw, attributes.st_mode & 0o777))
      }
    case .directory:
      try CopyFailure.ofCopy { () throws(Failure) in
        try check(mkdirat(to.raw, newName.cString, 0o700))
      }
      copy.isNew = true
      return attributes.st_mode & 0o777
    case .other:
      throw CopyFailure(reason: .notSupported, isSource: true)
    }
    return nil
  }

  func setMode(_ mode: mode_t, of chain: [Name]) throws(Failure) {
    let (directory, name) = try parent(chain)
    try check(fchmodat(directory.raw, name.cString, mode, AT_SYMLINK_NOFOLLOW))
  }

  /// The directories in the tree, each before those in it.
  private func directories() throws(Failure) -> [[Name]] {
    var all: [[Name]] = []
    var pending: [[Name]] = [[]]
    while let chain = pending.popLast() {
      let (parent, name) = try parent(chain)
      guard try parent.attributes(name).kind == .directory else { continue }
      all.append(chain)
      pending += try parent.names(in: name).map { chain + [$0] }
    }
    return all
  }

  /// Fails if a directory of the tree does not let its entries be removed.
  func checkRemoval() throws(Failure) {
    for chain in try directories() {
      let (parent, name) = try parent(chain)
      if !(try parent.names(in: name).isEmpty), !parent.allows(W_OK | X_OK, name) {
        throw Failure(code: EACCES)
      }
    }
  }

  func remove() throws(Failure) {
    guard try top.attributes(name).kind == .directory else {
      try check(unlinkat(top.raw, name.cString, 0))
      return
    }
    for chain in try directories().reversed() {
      let (parent, name) = try parent(chain)
      let entries = try parent.names(in: name)
      // An empty directory need not be one that may be searched.
      let directory = entries.isEmpty ? parent : try parent.directory(name)
      for entry in entries {
        // What was a file before may be a directory now: then the tree stays, with an error.
        try check(unlinkat(directory.raw, entry.cString, 0))
      }
      try check(unlinkat(parent.raw, name.cString, AT_REMOVEDIR))
    }
  }
}
