import ContractTesting
import FilesPort
import Testing

/// Makes a tree with each kind of node.
private func makeTree(_ files: any Files) throws {
  try files.createDirectory("tree/inner/empty", withParents: true)
  try files.put("one", "tree/file")
  try files.put("two", "tree/inner/file")
  try files.createLink("tree/link", to: "file")
  try files.createLink("tree/inner/out", to: "../../outer")
  try files.createLink("tree/dangling", to: "missing")
  try files.createLink("tree/up", to: "..")
  try files.put("outer", "outer")
}

/// Checks that a tree is the one of `makeTree`.
private func expectTree(_ files: any Files, at path: String) throws {
  #expect(try files.list(path) == ["dangling", "file", "inner", "link", "up"])
  #expect(try files.list(path + "/inner") == ["empty", "file", "out"])
  #expect(try files.list(path + "/inner/empty") == [])
  #expect(try files.text(path + "/file") == "one")
  #expect(try files.text(path + "/inner/file") == "two")
  let links = [
    ("link", "file"), ("inner/out", "../../outer"), ("dangling", "missing"), ("up", ".."),
  ]
  for (link, target) in links {
    #expect(try files.kind(path + "/" + link) == .link, "\(link)")
    #expect(try files.target(ofLink: path + "/" + link) == target)
  }
}

@ClauseBuilder<any Files> var copyClauses: [Clause<any Files>] {
  Clause(
    "copies-files", "a copy has the content, and later changes of one leave the other", from: "cp"
  ) { files in
    try files.put("text", "file")
    try files.copy("file", to: "copy")
    #expect(try files.text("copy") == "text")
    try files.put("new", "copy")
    #expect(try files.text("file") == "text")
    try files.write([1], to: "file", .appending)
    #expect(try files.text("copy") == "new")
  }
  Clause(
    "copies-trees", "a copy of a directory has all that is in it, with links as links",
    from: "cp -RP"
  ) { files in
    try makeTree(files)
    try files.copy("tree", to: "copy")
    try expectTree(files, at: "copy")
    try files.put("changed", "copy/inner/file")
    try files.makeDirectory("copy/inner/empty/new")
    try files.put("through", "copy/link")
    #expect(try files.text("copy/file") == "through")
    try expectTree(files, at: "tree")
    #expect(try files.text("outer") == "outer")
  }
  Clause("copies-links", "a copy of a link is a link, also if it leads nowhere", from: "cp -P") {
    files in
    try files.put("text", "file")
    try files.createLink("link", to: "file")
    try files.createLink("dangling", to: "missing")
    try files.copy("link", to: "copy")
    try files.copy("dangling", to: "other")
    #expect(try files.kind("copy") == .link)
    #expect(try files.target(ofLink: "copy") == "file")
    #expect(try files.target(ofLink: "other") == "missing")
  }
  Clause(
    "copies-over-nothing", "a copy replaces nothing, and not even a link", from: "this project"
  ) { files in
    try files.put("text", "file")
    try files.put("other", "other")
    try files.makeDirectory("directory")
    try files.createLink("dangling", to: "missing")
    for path in ["other", "directory", "dangling", "file", "."] {
      expectError(.exists, at: path) { try files.copy("file", to: path) }
      expectError(.exists, at: path) { try files.copy("directory", to: path) }
    }
    #expect(try files.text("other") == "other")
    #expect(try files.list("directory") == [])
    #expect(try files.kind("missing") == nil)
  }
  Clause(
    "copies-something", "a copy needs its source, and a place where nothing is", from: "cp"
  ) { files in
    for path in ["a", "b"] { try files.put(path, path) }
    expectError(.notFound, at: "missing") { try files.copy("missing", to: "copy") }
    expectError(.exists, at: "b") { try files.copy("a", to: "b") }
    #expect(try files.list(".") == ["a", "b"])
    #expect(try files.text("b") == "b")
  }
  Clause("copies-somewhere", "a copy needs the destination's directory", from: "cp") { files in
    try files.put("text", "file")
    expectError(.notFound, at: "missing/copy") { try files.copy("file", to: "missing/copy") }
    expectError(.notDirectory, at: "file/copy") { try files.copy("file", to: "file/copy") }
    #expect(try files.list(".") == ["file"])
  }
  Clause(
    "copies-into-itself", "a directory is not copied into itself, and stays as it is", from: "cp"
  ) { files in
    try makeTree(files)
    try files.createLink("way", to: "tree/inner")
    for path in ["tree/copy", "tree/inner/copy", "way/copy"] {
      expectError(.intoItself, at: path) { try files.copy("tree", to: path) }
    }
    try expectTree(files, at: "tree")
    try files.copy("tree/inner", to: "tree/copy")
    #expect(try files.list("tree/copy") == ["empty", "file", "out"])
  }
  Clause("copies-permissions", "copies have the permissions of the originals", from: "cp -p") {
    files in
    try files.createDirectory("tree/inner", withParents: true)
    try files.put("text", "tree/inner/file")
    try files.setPermissions(0o640, of: "tree/inner/file")
    try files.put("text", "tree/program")
    try files.setPermissions(0o773, of: "tree/program")
    try files.setPermissions(0o550, of: "tree/inner")
    try files.setPermissions(0o750, of: "tree")
    try files.copy("tree", to: "copy")
    #expect(try files.permissions(of: "copy/inner/file") == 0o640)
    #expect(try files.permissions(of: "copy/program") == 0o773)
    #expect(try files.permissions(of: "copy/inner") == 0o550)
    #expect(try files.permissions(of: "copy") == 0o750)
    for path in ["tree/inner", "copy/inner"] { try files.setPermissions(0o755, of: path) }
  }
}

@ClauseBuilder<any Files> var moveClauses: [Clause<any Files>] {
  Clause("moves-files", "a moved file has another path, and nothing else changes", from: "rename()")
  { files in
    try files.makeDirectory("directory")
    try files.put("text", "file")
    try files.setPermissions(0o640, of: "file")
    try files.move("file", to: "directory/new")
    #expect(try files.list(".") == ["directory"])
    #expect(try files.text("directory/new") == "text")
    #expect(try files.permissions(of: "directory/new") == 0o640)
  }
  Clause("moves-trees", "a moved directory keeps all that is in it", from: "rename()") { files in
    try makeTree(files)
    try files.makeDirectory("deep")
    try files.move("tree", to: "deep/tree")
    #expect(try files.list("deep/tree/..") == ["tree"])
    try files.move("deep/tree", to: "moved")
    try expectTree(files, at: "moved")
    #expect(try files.list(".") == ["deep", "moved", "outer"])
    #expect(try files.text("moved/inner/../../outer") == "outer")
  }
  Clause("moves-links", "a moved link leads on to its text, and its target stays", from: "rename()")
  { files in
    try files.put("text", "file")
    try files.createLink("link", to: "file")
    try files.createLink("dangling", to: "missing")
    try files.move("link", to: "moved")
    try files.move("dangling", to: "other")
    #expect(try files.target(ofLink: "moved") == "file")
    #expect(try files.target(ofLink: "other") == "missing")
    #expect(try files.list(".") == ["file", "moved", "other"])
  }
  Clause(
    "move-replaces-files", "a moved file or link replaces a file or link, and not its target",
    from: "rename()"
  ) { files in
    try files.put("new", "new")
    try files.put("old", "old")
    try files.move("new", to: "old")
    #expect(try files.text("old") == "new")
    try files.put("target", "target")
    try files.createLink("link", to: "target")
    try files.move("old", to: "link")
    #expect(try files.kind("link") == .file)
    #expect(try files.text("link") == "new")
    #expect(try files.text("target") == "target")
    try files.createLink("other", to: "target")
    try files.move("other", to: "link")
    #expect(try files.target(ofLink: "link") == "target")
    #expect(try files.list(".") == ["link", "target"])
    // A link that replaces its own target leads to itself.
    try files.move("link", to: "target")
    #expect(try files.list(".") == ["target"])
    expectError(.tooManyLinks, at: "target") { try files.read("target") }
  }
  Clause(
    "move-replaces-directories", "a moved directory replaces only an empty directory",
    from: "rename(), ENOTEMPTY, ENOTDIR, EISDIR"
  ) { files in
    try files.createDirectory("source/inner", withParents: true)
    try files.makeDirectory("empty")
    try files.createDirectory("full/inner", withParents: true)
    try files.put("text", "file")
    try files.createLink("link", to: "empty")
    expectError(.notEmpty, at: "full") { try files.move("source", to: "full") }
    expectError(.notDirectory, at: "file") { try files.move("source", to: "file") }
    expectError(.notDirectory, at: "link") { try files.move("source", to: "link") }
    expectError(.isDirectory, at: "empty") { try files.move("file", to: "empty") }
    expectError(.isDirectory, at: "full") { try files.move("link", to: "full") }
    #expect(try files.list("source") == ["inner"])
    #expect(try files.text("file") == "text")
    try files.move("source", to: "empty")
    #expect(try files.list("empty") == ["inner"])
    #expect(try files.list(".") == ["empty", "file", "full", "link"])
  }
  Clause("move-stays", "moving something onto itself changes nothing", from: "rename()") { files in
    try files.put("text", "file")
    try files.createDirectory("full/inner", withParents: true)
    try files.createLink("link", to: "file")
    for path in ["file", "full", "link"] { try files.move(path, to: path) }
    try files.move("file", to: "./full/../file")
    #expect(try files.text("file") == "text")
    #expect(try files.list("full") == ["inner"])
    #expect(try files.target(ofLink: "link") == "file")
  }
  Clause("move-into-itself", "a directory is not moved into itself", from: "rename(), EINVAL") {
    files in
    try files.createDirectory("tree/inner", withParents: true)
    try files.createLink("way", to: "tree/inner")
    for path in ["tree/new", "tree/inner/new", "way/new"] {
      expectError(.intoItself, at: path) { try files.move("tree", to: path) }
    }
    expectError(.notEmpty, at: "tree") { try files.move("tree/inner", to: "tree") }
    #expect(try files.list("tree") == ["inner"])
    #expect(try files.list("tree/inner") == [])
  }
  Clause(
    "moves-something", "a move needs its source and the destination's directory",
    from: "rename(), ENOENT"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    for path in ["file", "missing"] {
      expectError(.notFound, at: "missing") { try files.move("missing", to: path) }
    }
    try files.createLink("directory/dangling", to: "missing")
    try files.move("directory/dangling", to: "directory/dangling")
    expectError(.notFound) { try files.move("file", to: "missing/new") }
    expectError(.notDirectory) { try files.move("directory", to: "file/new") }
    expectError(.invalidPath, at: ".") { try files.move(".", to: "new") }
    expectError(.invalidPath, at: "directory/.") { try files.move("directory/.", to: "new") }
    expectError(.invalidPath, at: "directory/..") { try files.move("file", to: "directory/..") }
    #expect(try files.text("file") == "text")
    #expect(try files.list(".") == ["directory", "file"])
  }
}

@ClauseBuilder<any Files> var removalClauses: [Clause<any Files>] {
  Clause(
    "removes", "a file, a link or an empty directory can be removed", from: "unlink(), rmdir()"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.createLink("link", to: "file")
    try files.createLink("to-directory", to: "directory")
    for path in ["link", "to-directory"] { try files.remove(path) }
    #expect(try files.list(".") == ["directory", "file"])
    #expect(try files.text("file") == "text")
    for path in ["directory", "file"] { try files.remove(path) }
    #expect(try files.list(".") == [])
    for path in ["file", "directory", "link"] {
      expectError(.notFound, at: path) { try files.remove(path) }
    }
  }
  Clause(
    "removes-empty-only", "a directory that is not empty is not removed", from: "rmdir(), ENOTEMPTY"
  ) { files in
    try files.makeDirectory("directory")
    try files.createLink("directory/link", to: "missing")
    expectError(.notEmpty, at: "directory") { try files.remove("directory") }
    #expect(try files.list("directory") == ["link"])
    for path in [".", "directory/.", "directory/.."] {
      expectError(.invalidPath, at: path) { try files.remove(path) }
      expectError(.invalidPath, at: path) { try files.removeTree(path) }
    }
    #expect(try files.list("directory") == ["link"])
  }
  Clause("removes-trees", "a tree is removed whole, and targets of its links stay", from: "rm -R") {
    files in
    try makeTree(files)
    try files.makeDirectory("kept")
    try files.put("text", "kept/file")
    try files.createLink("tree/inner/way", to: "../../kept")
    try files.createLink("link", to: "kept")
    try files.removeTree("tree")
    try files.removeTree("link")
    #expect(try files.list(".") == ["kept", "outer"])
    #expect(try files.text("kept/file") == "text")
    #expect(try files.text("outer") == "outer")
    try files.removeTree("outer")
    expectError(.notFound, at: "outer") { try files.removeTree("outer") }
    #expect(try files.list(".") == ["kept"])
  }
}
