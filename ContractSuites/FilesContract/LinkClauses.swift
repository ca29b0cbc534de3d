import ContractTesting
import FilesPort
import Testing

@ClauseBuilder<any Files> var linkClauses: [Clause<any Files>] {
  Clause(
    "link-content", "a link contains exactly the text it was created with",
    from: "symlink(), readlink()"
  ) { files in
    for target in [
      "file", "./file", "a/../b", "missing/", "é\u{301} 😀", String(repeating: "x/", count: 500),
    ] {
      try files.createLink("link", to: target)
      #expect(try files.target(ofLink: "link").utf8.elementsEqual(target.utf8), "\(target)")
      try files.remove("link")
    }
  }
  Clause(
    "link-kinds", "a link has its target's kind if links are followed", from: "stat(), lstat()"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    for (target, kind) in [("file", FileKind.file), ("directory", .directory)] {
      try files.createLink("to-" + target, to: target)
      #expect(try files.kind(of: "to-" + target, followingLinks: true) == kind)
      #expect(try files.kind(of: "to-" + target, followingLinks: false) == .link)
    }
    try files.createLink("dangling", to: "missing")
    #expect(try files.kind("dangling") == .link)
    expectError(.notFound, at: "dangling") { try files.kind(of: "dangling", followingLinks: true) }
    expectError(.notFound, at: "dangling") { try files.read("dangling") }
    #expect(try files.list(".") == ["dangling", "directory", "file", "to-directory", "to-file"])
  }
  Clause(
    "link-directory", "a link's target is relative to the directory of the link",
    from: "4.16 Pathname Resolution"
  ) { files in
    try files.createDirectory("a/b", withParents: true)
    try files.put("outer", "file")
    try files.put("inner", "a/file")
    try files.createLink("a/link", to: "file")
    try files.createLink("a/b/up", to: "../file")
    #expect(try files.text("a/link") == "inner")
    #expect(try files.text("a/b/up") == "inner")
    try files.move("a/link", to: "link")
    #expect(try files.text("link") == "outer")
  }
  Clause(
    "links-in-paths", "links in the middle of a path are followed by every function",
    from: "4.16 Pathname Resolution"
  ) { files in
    try files.createDirectory("real/inner", withParents: true)
    try files.createLink("link", to: "real/")
    try files.put("text", "link/file")
    try files.makeDirectory("link/new")
    try files.copy("link/file", to: "link/copy")
    try files.move("link/copy", to: "link/inner/moved")
    try files.createLink("link/self", to: "file")
    #expect(try files.list("real") == ["file", "inner", "new", "self"])
    #expect(try files.list("link/inner") == ["moved"])
    #expect(try files.target(ofLink: "link/self") == "file")
    try files.setPermissions(0o600, of: "link/file")
    #expect(try files.permissions(of: "real/file") == 0o600)
    try files.remove("link/self")
    try files.removeTree("link/inner")
    #expect(try files.list("real") == ["file", "new"])
    #expect(try files.kind("link") == .link)
  }
  Clause(
    "up-from-links", "`..` after a link to a directory is the directory above the target",
    from: "4.16 Pathname Resolution"
  ) { files in
    try files.createDirectory("a/b", withParents: true)
    try files.put("text", "a/file")
    try files.createLink("link", to: "a/b")
    #expect(try files.text("link/../file") == "text")
    #expect(try files.list("link/..") == ["b", "file"])
    expectError(.notFound) { try files.read("link/../link") }
  }
  Clause(
    "link-chains", "links to links are followed, at least eight of them",
    from: "limits.h, SYMLOOP_MAX"
  ) { files in
    try files.put("text", "link0")
    for number in 1...8 { try files.createLink("link\(number)", to: "link\(number - 1)") }
    #expect(try files.text("link8") == "text")
    try files.put("new", "link8")
    #expect(try files.text("link0") == "new")
    #expect(try files.target(ofLink: "link8") == "link7")
  }
  Clause(
    "forty-links", "forty links are followed, and one more is too many", from: "path_resolution(7)"
  ) { files in
    try files.put("text", "0")
    for number in 1...41 { try files.createLink("\(number)", to: "\(number - 1)") }
    #expect(try files.text("40") == "text")
    expectError(.tooManyLinks, at: "41") { try files.read("41") }
  }
  Clause("link-loops", "links in a circle are an error", from: "4.16 Pathname Resolution, ELOOP") {
    files in
    try files.createLink("self", to: "self")
    try files.createLink("a", to: "b")
    try files.createLink("b", to: "a")
    for path in ["self", "a", "b", "a/file", "self/.."] {
      expectError(.tooManyLinks, at: path) { try files.read(path) }
      expectError(.tooManyLinks, at: path) { try files.write([1], to: path, .replacing) }
      expectError(.tooManyLinks, at: path) { try files.list(path) }
    }
    #expect(try files.kind("self") == .link)
    try files.move("self", to: "moved")
    try files.remove("moved")
    #expect(try files.list(".") == ["a", "b"])
  }
  Clause(
    "link-over-something", "a link is created only where nothing is", from: "symlink(), EEXIST"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.createLink("link", to: "file")
    try files.createLink("dangling", to: "missing")
    for path in ["file", "directory", "link", "dangling", "."] {
      expectError(.exists, at: path) { try files.createLink(path, to: "other") }
    }
    expectError(.notFound) { try files.createLink("missing/link", to: "file") }
    #expect(try files.text("link") == "text")
  }
  Clause("no-link", "only a link has a target", from: "readlink(), EINVAL") { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    for path in ["file", "directory", "."] {
      expectError(.notLink, at: path) { try files.target(ofLink: path) }
    }
    expectError(.notFound, at: "missing") { try files.target(ofLink: "missing") }
  }
}
