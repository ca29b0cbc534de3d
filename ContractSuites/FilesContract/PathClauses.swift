import ContractTesting
import FilesPort
import Testing

@ClauseBuilder<any Files> var pathClauses: [Clause<any Files>] {
  Clause(
    "dots", "`.`, `..` and repeated slashes lead where they say", from: "4.16 Pathname Resolution"
  ) { files in
    try files.createDirectory("a/b", withParents: true)
    try files.put("text", "a/file")
    for path in ["a/file", "./a/file", "a/./file", "a/b/../file", "a//file", "a/b/../../a/./file"] {
      #expect(try files.text(path) == "text", "\(path)")
    }
    #expect(try files.list(".") == ["a"])
    #expect(try files.list("a/b/..") == ["b", "file"])
    try files.setPermissions(0o750, of: "a")
    try files.setPermissions(0o705, of: "a/b")
    for path in ["a", "a/.", "a/b/..", "a/b/../b/.."] {
      #expect(try files.permissions(of: path) == 0o750, "\(path)")
    }
    #expect(try files.permissions(of: "a/b/.") == 0o705)
    expectError(.notFound) { try files.read("missing/../a/file") }
    expectError(.notDirectory) { try files.read("a/file/../file") }
    expectError(.notDirectory) { try files.read("a/file/.") }
  }
  Clause(
    "file-in-path", "a path that leads through a file is an error",
    from: "4.16 Pathname Resolution, ENOTDIR"
  ) { files in
    try files.put("text", "file")
    let path = "file/inside"
    expectError(.notDirectory, at: path) { try files.read(path) }
    expectError(.notDirectory, at: path) { try files.write([1], to: path, .replacing) }
    expectError(.notDirectory, at: path) { try files.makeDirectory(path) }
    expectError(.notDirectory, at: path) { try files.remove(path) }
    expectError(.notDirectory, at: path) { try files.kind(of: path, followingLinks: true) }
    expectError(.notDirectory, at: path) { try files.createLink(path, to: "file") }
    #expect(try files.text("file") == "text")
  }
  Clause(
    "slash-at-the-end", "a path with a slash at its end must be a directory",
    from: "4.16 Pathname Resolution"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.createLink("link", to: "directory")
    #expect(try files.kind(of: "directory/", followingLinks: false) == .directory)
    #expect(try files.kind(of: "link/", followingLinks: false) == .directory)
    #expect(try files.list("link/") == [])
    try files.createDirectory("new/", withParents: false)
    #expect(try files.kind("new") == .directory)
    expectError(.notDirectory, at: "file/") { try files.read("file/") }
    expectError(.notDirectory, at: "file/") { try files.write([1], to: "file/", .replacing) }
    expectError(.notDirectory, at: "file/") { try files.kind(of: "file/", followingLinks: false) }
    expectError(.notDirectory, at: "file/") { try files.remove("file/") }
    expectError(.notDirectory) { try files.move("file", to: "other/") }
    expectError(.notDirectory) { try files.copy("file", to: "other/") }
    expectError(.notDirectory, at: "link/") { try files.remove("link/") }
    expectError(.notDirectory) { try files.move("link/", to: "other") }
    try files.createLink("with-slash", to: "directory/")
    #expect(try files.list("with-slash") == [])
    try files.createLink("no-directory", to: "file/")
    try files.createLink("no-target", to: "missing/")
    for path in ["no-directory", "file/.", "file/.."] {
      expectError(.notDirectory, at: path) { try files.read(path) }
    }
    for mode in WriteMode.allCases {
      expectError(.isDirectory, at: "missing/") { try files.write([1], to: "missing/", mode) }
    }
    expectError(.isDirectory, at: "no-target") {
      try files.write([1], to: "no-target", .replacing)
    }
    expectError(.notFound, at: "missing/") { try files.createLink("missing/", to: "file") }
    try files.move("new/", to: "moved/")
    try files.copy("moved/", to: "new/")
    try files.remove("new/")
    #expect(
      try files.list(".") == [
        "directory", "file", "link", "moved", "no-directory", "no-target", "with-slash",
      ])
    #expect(try files.text("file") == "text")
  }
  Clause("empty-path", "the empty path leads nowhere", from: "4.16 Pathname Resolution, ENOENT") {
    files in
    expectError(.notFound, at: "") { try files.read("") }
    expectError(.notFound, at: "") { try files.write([1], to: "", .replacing) }
    expectError(.notFound, at: "") { try files.list("") }
    expectError(.notFound, at: "") { try files.remove("") }
    expectError(.notFound, at: "") { try files.createDirectory("", withParents: true) }
    expectError(.notFound) { try files.createLink("link", to: "") }
    let names = try files.list(".")
    #expect(names == [])
  }
  Clause("nul", "a path with a NUL is an error, and not its beginning", from: "3.254 Pathname") {
    files in
    try files.put("text", "file")
    for path in ["file\0", "file\0more", "\0"] {
      expectError(.invalidPath, at: path) { try files.read(path) }
      expectError(.invalidPath, at: path) { try files.write([1], to: path, .replacing) }
      expectError(.invalidPath, at: path) { try files.removeTree(path) }
    }
    expectError(.invalidPath) { try files.createLink("link", to: "file\0more") }
    #expect(try files.list(".") == ["file"])
    #expect(try files.text("file") == "text")
  }
  Clause(
    "long-names", "a name of 255 bytes works, and a longer name or path is an error",
    from: "4.16 Pathname Resolution, ENAMETOOLONG"
  ) { files in
    let longest = String(repeating: "n", count: 255)
    try files.put("text", longest)
    #expect(try files.text(longest) == "text")
    // 128 characters of two bytes.
    for name in [longest + "n", String(repeating: "é", count: 128)] {
      expectError(.nameTooLong, at: name) { try files.read(name) }
      expectError(.nameTooLong, at: name) { try files.write([1], to: name, .replacing) }
      expectError(.nameTooLong, at: name) { try files.makeDirectory(name) }
    }
    for (dots, isLongest) in [("./", true), (".//", false)] {
      // 3,838 bytes, 2 or 3, and 255.
      let path = String(repeating: "./", count: 1919) + dots + longest
      #expect((path.utf8.count <= 4095) == isLongest)
      if isLongest {
        #expect(try files.text(path) == "text")
      } else {
        expectError(.nameTooLong, at: path) { try files.read(path) }
        expectError(.nameTooLong, at: "link") { try files.createLink("link", to: path) }
      }
    }
    #expect(try files.list(".") == [longest])
  }
  Clause(
    "outside", "paths that leave the root are errors, and nothing outside is touched",
    from: "this project"
  ) { files in
    try files.makeDirectory("directory")
    for path in [
      "..", "./..", "../file", "directory/../..", "directory/../../file", "/", "/etc/passwd",
    ] {
      expectError(.outsideRoot, at: path) { try files.kind(of: path, followingLinks: true) }
      expectError(.outsideRoot, at: path) { try files.read(path) }
      expectError(.outsideRoot, at: path) { try files.write([1], to: path, .creating) }
      expectError(.outsideRoot, at: path) { try files.createDirectory(path, withParents: true) }
    }
    #expect(try files.list(".") == ["directory"])
  }
  Clause(
    "links-outside",
    "links that leave the root are not followed, and can be read, moved and removed",
    from: "this project"
  ) { files in
    try files.makeDirectory("directory")
    for target in ["..", "../other", "directory/../../other", "/", "/etc/passwd"] {
      try files.createLink("link", to: target)
      #expect(try files.target(ofLink: "link") == target)
      #expect(try files.kind("link") == .link)
      expectError(.outsideRoot, at: "link") { try files.kind(of: "link", followingLinks: true) }
      expectError(.outsideRoot, at: "link") { try files.read("link") }
      expectError(.outsideRoot, at: "link") { try files.write([1], to: "link", .replacing) }
      expectError(.outsideRoot, at: "link") { try files.list("link") }
      expectError(.outsideRoot) { try files.makeDirectory("link/new") }
      expectError(.outsideRoot) { try files.removeTree("link/passwd") }
      try files.move("link", to: "moved")
      try files.remove("moved")
    }
    #expect(try files.list(".") == ["directory"])
  }
  Clause(
    "thousand-levels", "a tree of a thousand levels can be made, copied, moved and removed",
    from: "this project", timeLimit: .seconds(120)
  ) { files in
    let path = Array(repeating: "d", count: 1_000).joined(separator: "/")
    try files.createDirectory(path, withParents: true)
    try files.put("text", path + "/file")
    try files.copy("d", to: "e")
    #expect(try files.text("e" + path.dropFirst() + "/file") == "text")
    try files.move("d", to: "f")
    #expect(try files.text("f" + path.dropFirst() + "/file") == "text")
    try files.removeTree("e")
    try files.removeTree("f")
    #expect(try files.list(".") == [])
  }
}
