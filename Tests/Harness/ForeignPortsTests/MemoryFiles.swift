import SystemLocks

/// The fake: a tree of nodes, with paths resolved as Linux does (path_resolution(7)).
final class MemoryFiles: Files {
  private let tree: Mutex<FileTree>

  init(_ flaw: FileTree.Flaw? = nil) { tree = Mutex(FileTree(flaw)) }

  func write(_ bytes: [UInt8], to path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.write(bytes, to: path) }
  }

  func read(_ path: String) throws(FilesError) -> [UInt8] {
    try change { tree throws(FilesError) in try tree.read(path) }
  }

  func makeFolder(_ path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.makeFolder(path) }
  }

  func link(_ path: String, to target: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.link(path, to: target) }
  }

  func target(_ path: String) throws(FilesError) -> String {
    try change { tree throws(FilesError) in try tree.target(path) }
  }

  func remove(_ path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.remove(path) }
  }

  func move(_ from: String, to path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.move(from, to: path) }
  }

  func copy(_ from: String, to path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.copy(from, to: path) }
  }

  func list(_ path: String) throws(FilesError) -> [String] {
    try change { tree throws(FilesError) in try tree.list(path) }
  }

  func setReadOnly(_ isReadOnly: Bool, at path: String) throws(FilesError) {
    try change { tree throws(FilesError) in try tree.setReadOnly(isReadOnly, at: path) }
  }

  func isReadOnly(_ path: String) throws(FilesError) -> Bool {
    try change { tree throws(FilesError) in try tree.isReadOnly(path) }
  }

  private func change<Value: Sendable>(
    _ body: (inout FileTree) throws(FilesError) -> Value
  ) throws(FilesError) -> Value {
    let result = tree.withLock { tree -> Result<Value, FilesError> in
      do throws(FilesError) { return .success(try body(&tree)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Files, folders and links by number.
struct FileTree: Sendable {
  /// A mistake that a public in-memory file system made, with the report of it.
  enum Flaw: String, ReportedFlaw {
    /// Moving a folder leaves what is in it (spf13/afero#141).
    case leavesChildren
    /// Removing a folder removes what is in it (spf13/afero#232, webpack/memory-fs#61).
    case removesFullFolders
    /// Making a folder makes the missing folders above it (spf13/afero#149).
    case makesParents
    /// Moving onto an existing path fails (spf13/afero#321).
    case refusesToReplace
    /// A link in the middle of a path is not followed (streamich/memfs#1035, src-d/go-billy#72).
    case ignoresLinksInPaths
    /// A link's target is relative to the root and not to the link's folder (streamich/memfs#725).
    case resolvesLinksFromRoot
    /// Moving something onto itself fails (pytest-dev/pyfakefs#233).
    case refusesToStay
    /// Moving a link moves what it leads to (pytest-dev/pyfakefs#249).
    case movesTargets
    /// Moving a link onto a folder replaces it (pytest-dev/pyfakefs#265).
    case replacesFolders
    /// Writing through a link whose target is missing fails (pytest-dev/pyfakefs#251).
    case refusesDanglingLinks

    // Nobody reported these; each changes one rule of path_resolution(7), rename(2) or the port.
    case copyFollowsLinks, copyForgetsReadOnly, copySharesFiles, copyReplaces, copiesIntoItself
    case moveIntoItselfDoesNothing, moveForgetsReadOnly, moveGoesIntoFolders, removeFollowsLinks
    case listsNoLinks, linksAreWritable, readOnlyIgnoresLinks, writesReadOnly, writeReplacesLinks
    case readsFolders, dotDotLeavesLinks, ignoresSlashes, followsTwoLinks, loopsAreMissing
    case foldersReplaceDanglingLinks, linksReplaceFiles, keepsReadOnlyFiles
    case listIgnoresLinksInPaths, copyIgnoresLinksInDestination, moveDropsLinksInTrees
    case copyDropsEmptyFolders, copyForgetsReadOnlyInTrees, copyFollowsLinksInTrees
    case moveRefusesReadOnlyTargets, moveRefusesReadOnlyFiles, foldersCanBeReadOnly
    case missingIsWritable, twoLinksAreNoLoop, loopsInPathsAreMissing, danglingLinksAreReplaced
    case writeReplacesSecondLinks, targetIgnoresSlashes, linkedFoldersExist, filesInPathsAreMissing
    case fullFoldersAreFolders, moveIntoItselfThroughLinks, copyIntoItselfThroughLinks
    case danglingFoldersAreEmpty, movedFoldersKeepParents, linksReplaceDanglingLinks
    case writesToSlashes

    var calls: ClosedRange<Int> {
      switch self {
      case .makesParents: 1...1
      case .ignoresLinksInPaths, .refusesToStay: 2...2
      case .removesFullFolders, .refusesToReplace: 3...3
      // These show in several ways, of which some need more calls.
      case .refusesDanglingLinks: 2...3
      case .replacesFolders: 3...4
      case .resolvesLinksFromRoot, .movesTargets: 2...4
      case .leavesChildren: 4...7
      default: Self.uncounted
      }
    }
  }

  private enum Node {
    case file([UInt8], isReadOnly: Bool)
    case folder([String: Int])
    case link(String)
  }

  /// The last part of a path.
  private enum Last {
    case name(String)
    case dot
    case dotDot
  }

  private let flaw: Flaw?
  private var nodes: [Int: Node] = [0: .folder([:])]
  private var parents: [Int: Int] = [0: 0]
  private var root = 0
  private var next = 1

  /// The folders above the root, so that `..` leads somewhere.
  static let above = ["0", "1", "2", "3", "4", "5", "6", "7", "root"]

  init(_ flaw: Flaw?) {
    self.flaw = flaw
    for name in Self.above { root = add(.folder([:]), name, in: root) }
  }

  // MARK: - Operations

  mutating func write(_ bytes: [UInt8], to path: String) throws(FilesError) {
    if let file = try? resolve(path), case .file(_, let isReadOnly) = nodes[file] {
      if isReadOnly, flaw != .writesReadOnly { throw .notAllowed }
      if flaw == .writeReplacesLinks, let link = try? resolve(path, followsLast: false),
        case .link = nodes[link]
      {
        nodes[link] = .file(bytes, isReadOnly: false)
        return
      }
      if flaw == .writeReplacesSecondLinks, let link = try? resolve(path, followsLast: false),
        case .link(let target) = nodes[link], let second = try? resolve(target, followsLast: false),
        case .link = nodes[second]
      {
        nodes[second] = .file(bytes, isReadOnly: false)
        return
      }
      nodes[file] = .file(bytes, isReadOnly: false)
      return
    }
    try create(path, bytes, from: root, depth: 0)
  }

  mutating func read(_ path: String) throws(FilesError) -> [UInt8] {
    switch nodes[try resolve(path)] {
    case .file(let bytes, _): return bytes
    case .folder where flaw == .readsFolders: return []
    default: throw .isFolder
    }
  }

  mutating func makeFolder(_ path: String) throws(FilesError) {
    if flaw == .makesParents {
      let parts = path.split(separator: "/")
      for count in 1..<max(parts.count, 1) {
        let parent = parts.prefix(count).joined(separator: "/")
        if (try? resolve(parent)) == nil { try makeFolder(parent) }
      }
    }
    let (folder, last) = try locate(path)
    if flaw == .linkedFoldersExist, let node = try? resolve(path, followsLast: false),
      case .link = nodes[node], let target = try? resolve(path), case .folder = nodes[target]
    {
      return
    }
    if flaw == .foldersReplaceDanglingLinks, case .name(let name) = last,
      (try? resolve(path)) == nil
    {
      detach(name, from: folder)
    }
    guard case .name(let name) = last, child(name, of: folder) == nil else { throw .exists }
    _ = add(.folder([:]), name, in: folder)
  }

  mutating func link(_ path: String, to target: String) throws(FilesError) {
    if target.isEmpty { throw .missing }
    let (folder, last) = try locate(path)
    guard case .name(let name) = last else { throw .exists }
    if let child = child(name, of: folder) {
      let isReplaced =
        switch nodes[child] {
        case .file: flaw == .linksReplaceFiles
        case .link: flaw == .linksReplaceDanglingLinks && (try? resolve(path)) == nil
        default: false
        }
      guard isReplaced else { throw .exists }
    }
    if path.hasSuffix("/") { throw .missing }
    _ = add(.link(target), name, in: folder)
  }

  func target(_ path: String) throws(FilesError) -> String {
    let path = flaw == .targetIgnoresSlashes && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard case .link(let target) = nodes[try resolve(path, followsLast: false)] else {
      throw .notLink
    }
    return target
  }

  mutating func remove(_ path: String) throws(FilesError) {
    let node = try resolve(path, followsLast: false)
    var (folder, last) = try locate(path)
    if flaw == .removeFollowsLinks, case .link = nodes[node], let target = try? resolve(path),
      let parent = parents[target], let name = name(of: target)
    {
      (folder, last) = (parent, .name(name))
    }
    if flaw == .keepsReadOnlyFiles, case .file(_, true) = nodes[node] { throw .notAllowed }
    if case .folder(let children) = nodes[node] {
      switch last {
      case .dot: throw .intoItself
      case .dotDot: throw .notEmpty
      case .name(let name):
        // A link with a slash after it is resolved by lstat(2), and is no folder for rmdir(2).
        if let child = child(name, of: folder), case .link = nodes[child] { throw .notFolder }
      }
      if !children.isEmpty, flaw != .removesFullFolders { throw .notEmpty }
    }
    if case .name(let name) = last { detach(name, from: folder) }
  }

  mutating func move(_ from: String, to path: String) throws(FilesError) {
    let (oldFolder, oldLast) = try locate(from)
    let (newFolder, newLast) = try locate(path)
    guard case .name(var oldName) = oldLast, case .name(let newName) = newLast else { throw .busy }
    var folder = oldFolder
    guard var node = child(oldName, of: folder) else { throw .missing }
    if flaw == .movesTargets, case .link = nodes[node], let target = try? resolve(from),
      let parent = parents[target], let name = name(of: target)
    {
      (node, folder, oldName) = (target, parent, name)
    }
    let isFolder = if case .folder = nodes[node] { true } else { false }
    if !isFolder, from.hasSuffix("/") { throw .notFolder }
    let replaced = child(newName, of: newFolder)
    if !isFolder, path.hasSuffix("/") { throw .notFolder }
    if isFolder, contains(node, newFolder) {
      if flaw == .moveIntoItselfDoesNothing { return }
      if flaw == .moveIntoItselfThroughLinks, crossesLink(path) {
        return detach(oldName, from: folder)
      }
      throw .intoItself
    }
    if flaw == .moveGoesIntoFolders, let replaced, replaced != node,
      case .folder = nodes[replaced], child(oldName, of: replaced) == nil
    {
      detach(oldName, from: folder)
      return attach(node, oldName, in: replaced)
    }
    if node == replaced {
      if flaw == .refusesToStay { throw .exists }
      return
    }
    if case .file(_, true) = nodes[node], flaw == .moveRefusesReadOnlyFiles { throw .notAllowed }
    if let replaced {
      if case .file(_, true) = nodes[replaced], flaw == .moveRefusesReadOnlyTargets {
        throw .notAllowed
      }
      if flaw == .refusesToReplace { throw .exists }
      if contains(replaced, folder) { throw .notEmpty }
      switch nodes[replaced] {
      case .folder(let children):
        if !isFolder, flaw != .replacesFolders { throw .isFolder }
        if !children.isEmpty { throw flaw == .fullFoldersAreFolders ? .isFolder : .notEmpty }
      default:
        if isFolder { throw .notFolder }
      }
      detach(newName, from: newFolder)
    }
    detach(oldName, from: folder)
    if flaw == .leavesChildren, isFolder { nodes[node] = .folder([:]) }
    if flaw == .moveDropsLinksInTrees, case .folder(let children) = nodes[node] {
      for (name, child) in children { if case .link = nodes[child] { detach(name, from: node) } }
    }
    if flaw == .moveForgetsReadOnly, case .file(let bytes, _) = nodes[node] {
      nodes[node] = .file(bytes, isReadOnly: false)
    }
    attach(node, newName, in: newFolder)
    if flaw == .movedFoldersKeepParents { parents[node] = folder }
  }

  mutating func copy(_ from: String, to path: String) throws(FilesError) {
    let node = try resolve(from, followsLast: flaw == .copyFollowsLinks)
    if flaw == .copyIgnoresLinksInDestination, crossesLink(path) { throw .missing }
    if flaw != .copyReplaces, (try? resolve(path, followsLast: false)) != nil { throw .exists }
    if case .folder = nodes[node] {
      let parts = path.split(separator: "/").dropLast()
      if let folder = try? parts.isEmpty ? root : resolve(parts.joined(separator: "/")),
        contains(node, folder), flaw != .copiesIntoItself,
        flaw != .copyIntoItselfThroughLinks || !crossesLink(path)
      {
        throw .intoItself
      }
    }
    try copy(node, to: path)
  }

  func list(_ path: String) throws(FilesError) -> [String] {
    if flaw == .listIgnoresLinksInPaths, crossesLink(path) { throw .notFolder }
    if flaw == .danglingFoldersAreEmpty, (try? resolve(path)) == nil,
      (try? resolve(path, followsLast: false)) != nil
    {
      return []
    }
    let node = try resolve(path, followsLast: flaw != .listsNoLinks)
    guard case .folder(let children) = nodes[node] else { throw .notFolder }
    return children.keys.sorted()
  }

  mutating func setReadOnly(_ isReadOnly: Bool, at path: String) throws(FilesError) {
    let node = try resolve(path, followsLast: flaw != .readOnlyIgnoresLinks)
    if flaw == .readOnlyIgnoresLinks, case .link = nodes[node] { return }
    guard case .file(let bytes, _) = nodes[node] else {
      if flaw == .foldersCanBeReadOnly { return }
      throw .isFolder
    }
    nodes[node] = .file(bytes, isReadOnly: isReadOnly)
  }

  func isReadOnly(_ path: String) throws(FilesError) -> Bool {
    if flaw == .missingIsWritable, (try? resolve(path)) == nil { return false }
    let node = try resolve(path, followsLast: flaw != .linksAreWritable)
    return if case .file(_, let isReadOnly) = nodes[node] { isReadOnly } else { false }
  }

  // MARK: - Paths

  /// Whether a part of a path before the last is a link.
  private func crossesLink(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.indices.dropFirst().contains { count in
      let start = parts.prefix(count).joined(separator: "/")
      guard let node = try? resolve(start, followsLast: false) else { return false }
      return if case .link = nodes[node] { true } else { false }
    }
  }

  /// The node at a path.
  private func resolve(
    _ path: String, followsLast: Bool = true
  ) throws(FilesError) -> Int {
    var depth = 0
    return try resolve(path, from: root, followsLast: followsLast, &depth)
  }

  private func resolve(
    _ path: String, from start: Int, followsLast: Bool, _ depth: inout Int
  ) throws(FilesError) -> Int {
    if path.isEmpty { throw .missing }
    let parts = path.split(separator: "/")
    var node = start
    // The folder of the last link.
    var lastLink: Int?
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard case .folder(let children) = nodes[node] else {
        throw flaw == .filesInPathsAreMissing ? .missing : .notFolder
      }
      if part == "." { continue }
      if part == ".." {
        node = parents[node] ?? node
        if flaw == .dotDotLeavesLinks, let link = lastLink { node = link }
        continue
      }
      guard let child = children[String(part)] else { throw .missing }
      if case .link(let target) = nodes[child], !isLast || followsLast || path.hasSuffix("/") {
        if flaw == .ignoresLinksInPaths, !isLast { throw .missing }
        depth += 1
        lastLink = node
        if depth > (flaw == .followsTwoLinks ? 2 : 40) {
          let isMissing =
            switch flaw {
            case .loopsAreMissing: true
            case .twoLinksAreNoLoop: target != part
            case .loopsInPathsAreMissing: !isLast
            default: false
            }
          throw isMissing ? .missing : .loop
        }
        let base = flaw == .resolvesLinksFromRoot ? root : node
        node = try resolve(target, from: base, followsLast: true, &depth)
      } else {
        node = child
      }
    }
    if path.hasSuffix("/") {
      guard case .folder = nodes[node] else {
        if flaw == .ignoresSlashes { return node }
        throw .notFolder
      }
    }
    return node
  }

  /// The folder of a path, and the last part.
  private func locate(
    _ path: String, from start: Int? = nil, depth: Int = 0
  ) throws(FilesError) -> (folder: Int, last: Last) {
    if path.isEmpty { throw .missing }
    let parts = path.split(separator: "/")
    var depth = depth
    let folder =
      parts.count < 2
      ? start ?? root
      : try resolve(
        parts.dropLast().joined(separator: "/"), from: start ?? root, followsLast: true, &depth)
    guard case .folder = nodes[folder] else { throw .notFolder }
    switch parts.last {
    case "."?, nil: return (folder, .dot)
    case ".."?: return (folder, .dotDot)
    case let name?: return (folder, .name(String(name)))
    }
  }

  /// Creates a file, following links whose target is missing.
  private mutating func create(
    _ path: String, _ bytes: [UInt8], from start: Int, depth: Int
  ) throws(FilesError) {
    let (folder, last) = try locate(path, from: start, depth: depth)
    guard case .name(let name) = last else { throw .isFolder }
    if path.hasSuffix("/"), flaw != .writesToSlashes { throw .isFolder }
    guard let child = child(name, of: folder) else {
      _ = add(.file(bytes, isReadOnly: false), name, in: folder)
      return
    }
    switch nodes[child] {
    case .link(let target):
      if depth >= 40 { throw .loop }
      if flaw == .refusesDanglingLinks { throw .missing }
      if flaw == .danglingLinksAreReplaced {
        nodes[child] = .file(bytes, isReadOnly: false)
        return
      }
      let base = flaw == .resolvesLinksFromRoot ? root : folder
      try create(target, bytes, from: base, depth: depth + 1)
    case .file(_, let isReadOnly):
      if isReadOnly { throw .notAllowed }
      nodes[child] = .file(bytes, isReadOnly: false)
    default: throw .isFolder
    }
  }

  private mutating func copy(
    _ node: Int, to path: String, isInTree: Bool = false
  ) throws(FilesError) {
    switch nodes[node] {
    case .link(let target):
      var depth = 0
      if isInTree, flaw == .copyFollowsLinksInTrees,
        let end = try? resolve(
          target, from: parents[node] ?? root, followsLast: true, &depth),
        case .file = nodes[end]
      {
        return try copy(end, to: path)
      }
      try link(path, to: target)
    case .file(let bytes, let isReadOnly):
      if flaw == .copySharesFiles, let (folder, last) = try? locate(path),
        case .name(let name) = last
      {
        return attach(node, name, in: folder)
      }
      try write(bytes, to: path)
      let forgets =
        flaw == .copyForgetsReadOnly || isInTree && flaw == .copyForgetsReadOnlyInTrees
      if isReadOnly, !forgets { try setReadOnly(true, at: path) }
    case .folder(let children):
      try makeFolder(path)
      for (name, child) in children.sorted(by: { $0.key < $1.key }) {
        if flaw == .copyDropsEmptyFolders, case .folder(let inner) = nodes[child], inner.isEmpty {
          continue
        }
        try copy(child, to: path + "/" + name, isInTree: true)
      }
    case nil: break
    }
  }

  // MARK: - Nodes

  private func child(_ name: String, of folder: Int) -> Int? {
    if case .folder(let children) = nodes[folder] { children[name] } else { nil }
  }

  private func name(of node: Int) -> String? {
    guard let parent = parents[node], case .folder(let children) = nodes[parent] else { return nil }
    return children.first { $0.value == node }?.key
  }

  /// Whether a node is another one or above it.
  private func contains(_ outer: Int, _ inner: Int) -> Bool {
    var node = inner
    while node != outer {
      guard let parent = parents[node], parent != node else { return false }
      node = parent
    }
    return true
  }

  private mutating func add(_ node: Node, _ name: String, in folder: Int) -> Int {
    let id = next
    next += 1
    nodes[id] = node
    attach(id, name, in: folder)
    return id
  }

  private mutating func attach(_ node: Int, _ name: String, in folder: Int) {
    guard case .folder(var children) = nodes[folder] else { return }
    children[name] = node
    nodes[folder] = .folder(children)
    parents[node] = folder
  }

  private mutating func detach(_ name: String, from folder: Int) {
    guard case .folder(var children) = nodes[folder] else { return }
    children[name] = nil
    nodes[folder] = .folder(children)
  }
}
