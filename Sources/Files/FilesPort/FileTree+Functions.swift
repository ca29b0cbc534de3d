/// The functions of ``Files``.
extension FileTree {
  func kind(of path: String, followingLinks: Bool) throws(FilesError) -> FileKind {
    self[try place(path, followingLinks ? .always : .withSlash).found()].kind
  }

  /// The node at a path, through links.
  func node(_ path: String) throws(FilesError) -> Node { self[try place(path, .always).found()] }

  mutating func change(_ path: String, _ body: (inout Node) -> Void) throws(FilesError) {
    let id = try place(path, .always).found()
    if isReadOnly { throw FilesError(.readOnly, at: path) }
    body(&self[id])
  }

  func read(_ path: String) throws(FilesError) -> [UInt8] {
    let node = try node(path)
    guard case .file(let bytes) = node.content else { throw FilesError(.isDirectory, at: path) }
    guard node.allows(4) else { throw FilesError(.notPermitted, at: path) }
    return bytes
  }

  mutating func write(_ bytes: [UInt8], to path: String, _ mode: WriteMode) throws(FilesError) {
    let place = try place(path, mode == .creating ? .never : .always)
    guard let id = place.node else {
      guard let name = place.name, !place.isDirectory else {
        throw FilesError(.isDirectory, at: path)
      }
      try checkChanges(in: place.directory, at: path)
      try checkSpace(bytes.count, at: path)
      let node = Node(
        content: .file(bytes), permissions: permissions(0o666), time: now, parent: place.directory)
      add(node, as: name, to: place.directory)
      return
    }
    if mode == .creating { throw FilesError(.exists, at: path) }
    guard case .file(let old) = self[id].content else { throw FilesError(.isDirectory, at: path) }
    if isReadOnly { throw FilesError(.readOnly, at: path) }
    guard self[id].allows(2) else { throw FilesError(.notPermitted, at: path) }
    switch mode {
    case .appending:
      try checkSpace(bytes.count, at: path)
      if !bytes.isEmpty { setBytes(old + bytes, of: id) }
    case .replacing:
      setBytes([], of: id)
      try checkSpace(bytes.count, at: path)
      setBytes(bytes, of: id)
    case .atomically, .creating:
      try checkChanges(in: place.directory, at: path)
      try checkSpace(bytes.count, at: path)
      setBytes(bytes, of: id)
      self[place.directory].time = now
    }
  }

  mutating func createDirectory(_ path: String, withParents: Bool) throws(FilesError) {
    if withParents {
      try makeParents(of: path)
      if let id = try? place(path, .always).node, self[id].kind == .directory { return }
    }
    let (place, name) = try vacancy(path)
    try checkChanges(in: place.directory, at: path)
    _ = addDirectory(name, to: place.directory)
  }

  private mutating func makeParents(of path: String) throws(FilesError) {
    var tree = self
    defer { self = tree }
    do throws(FilesError) {
      try PathParts(path).makeParents(
        finds: { parent throws(FilesError) in try tree.finds(parent) },
        creates: { parent, names throws(FilesError) in
          var directory = try tree.directory(at: tree.place(parent, .always))
          for name in names {
            if tree[directory].entries[tree.key(name)] != nil {
              // Only a link that leads nowhere is there and not found.
              throw FilesError(.exists, at: path)
            }
            try tree.checkChanges(in: directory, at: path)
            directory = tree.addDirectory(name, to: directory)
          }
        })
    } catch { throw FilesError(error.reason, at: path) }
  }

  /// Whether a path leads to something.
  private func finds(_ path: String) throws(FilesError) -> Bool {
    do throws(FilesError) { return try place(path, .always).node != nil } catch {
      guard error.reason == .notFound else { throw error }
      return false
    }
  }

  mutating func createTemporaryDirectory(
    in directory: String, prefix: String
  ) throws(FilesError) -> String {
    var number = next
    var path: String { directory + "/" + prefix + "\(number)" }
    while try place(path, .never).node != nil { number += 1 }
    try createDirectory(path, withParents: false)
    try change(path) { $0.permissions = 0o700 }
    return path
  }

  func list(_ path: String) throws(FilesError) -> [String] {
    let node = try node(path)
    guard case .directory(let entries) = node.content else {
      throw FilesError(.notDirectory, at: path)
    }
    guard node.allows(4) else { throw FilesError(.notPermitted, at: path) }
    return entries.values.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  mutating func copy(_ source: String, to destination: String) throws(FilesError) {
    let from = try place(source, .withSlash)
    let original = try from.found()
    let (to, name) = try vacancy(destination)
    if to.isDirectory, self[original].kind != .directory {
      throw FilesError(.notDirectory, at: destination)
    }
    if isInside(to.directory, original) { throw FilesError(.intoItself, at: destination) }
    if self[original].kind == .file, !self[original].allows(4) {
      throw FilesError(.notPermitted, at: source)
    }
    try checkChanges(in: to.directory, at: destination)
    // Whatever fails from here on, the copy has begun.
    self[to.directory].time = now
    let all = descendants(of: original)
    for id in all where self[id].kind != .link {
      let isFull = !self[id].entries.isEmpty
      if !self[id].allows(isFull ? 5 : 4) { throw FilesError(.notPermitted, at: source) }
    }
    try checkSpace(all.reduce(0) { $0 + self[$1].size }, at: destination)
    copyNode(original, as: name, to: to.directory)
  }

  private mutating func copyNode(_ original: Int, as name: String, to directory: Int) {
    var pending = [(original, name, directory)]
    while let (original, name, directory) = pending.popLast() {
      var node = self[original]
      let entries = node.entries
      node.time = now
      let copy = add(node, as: name, to: directory)
      pending += entries.values.map { ($0.node, $0.name, copy) }
    }
  }

  mutating func move(_ source: String, to destination: String) throws(FilesError) {
    let (from, oldName, node) = try occupant(source)
    let to = try place(destination, .never)
    guard let name = to.name else { throw FilesError(.invalidPath, at: destination) }
    let isDirectory = self[node].kind == .directory
    if to.isDirectory, !isDirectory { throw FilesError(.notDirectory, at: destination) }
    if isInside(to.directory, node) { throw FilesError(.intoItself, at: destination) }
    if let other = to.node {
      if other == node, oldName.utf8.elementsEqual(name.utf8) { return }
      if isInside(from.directory, other) { throw FilesError(.notEmpty, at: destination) }
    }
    try checkChanges(in: from.directory, at: source)
    try checkChanges(in: to.directory, at: destination)
    if let other = to.node {
      let isReplacingDirectory = self[other].kind == .directory
      if isDirectory, !isReplacingDirectory { throw FilesError(.notDirectory, at: destination) }
      if !isDirectory, isReplacingDirectory { throw FilesError(.isDirectory, at: destination) }
    }
    if isDirectory, from.directory != to.directory, !self[node].allows(2) {
      throw FilesError(.notPermitted, at: source)
    }
    if let other = to.node, other != node, !self[other].entries.isEmpty {
      throw FilesError(.notEmpty, at: destination)
    }
    if let other = to.node, other != node { forget(other) }
    detach(oldName, from: from.directory)
    attach(node, as: name, to: to.directory)
  }

  mutating func remove(_ path: String) throws(FilesError) {
    let (place, name, node) = try occupant(path)
    try checkChanges(in: place.directory, at: path)
    if !self[node].entries.isEmpty { throw FilesError(.notEmpty, at: path) }
    detach(name, from: place.directory)
    forget(node)
  }

  mutating func removeTree(_ path: String) throws(FilesError) {
    let (place, name, node) = try occupant(path)
    try checkChanges(in: place.directory, at: path)
    for id in descendants(of: node) where self[id].kind == .directory {
      let needed: UInt16 = self[id].entries.isEmpty ? 4 : 7
      if !self[id].allows(needed) { throw FilesError(.notPermitted, at: path) }
    }
    detach(name, from: place.directory)
    forget(node)
  }

  mutating func createLink(_ path: String, to target: String) throws(FilesError) {
    if target.isEmpty { throw FilesError(.notFound, at: path) }
    if target.utf8.contains(0) { throw FilesError(.invalidPath, at: path) }
    if target.utf8.count > 4095 { throw FilesError(.nameTooLong, at: path) }
    let (place, name) = try vacancy(path)
    if place.isDirectory { throw FilesError(.notFound, at: path) }
    try checkChanges(in: place.directory, at: path)
    let node = Node(
      content: .link(target), permissions: Permissions(mode: .max), time: now,
      parent: place.directory)
    add(node, as: name, to: place.directory)
  }

  func target(ofLink path: String) throws(FilesError) -> String {
    let id = try place(path, .withSlash).found()
    guard case .link(let target) = self[id].content else { throw FilesError(.notLink, at: path) }
    return target
  }
}
