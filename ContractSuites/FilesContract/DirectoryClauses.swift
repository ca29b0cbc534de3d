import ContractTesting
import FilesPort
import Testing

@ClauseBuilder<any Files> var directoryClauses: [Clause<any Files>] {
  Clause(
    "makes-directories", "a new directory is empty, and its parent must exist", from: "mkdir()"
  ) { files in
    try files.makeDirectory("directory")
    #expect(try files.kind("directory") == .directory)
    #expect(try files.list("directory") == [])
    expectError(.notFound, at: "missing/new") { try files.makeDirectory("missing/new") }
    #expect(try files.list(".") == ["directory"])
  }
  Clause(
    "directory-exists", "a directory is created only where nothing is", from: "mkdir(), EEXIST"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.put("inside", "directory/file")
    try files.createLink("link", to: "directory")
    try files.createLink("dangling", to: "missing")
    for path in ["file", "directory", "link", "dangling", "."] {
      expectError(.exists, at: path) { try files.makeDirectory(path) }
    }
    #expect(try files.text("directory/file") == "inside")
    #expect(try files.kind("missing") == nil)
  }
  Clause("makes-parents", "missing parents are created if the caller wants it", from: "mkdir -p") {
    files in
    try files.createDirectory("a/b/c", withParents: true)
    try files.put("text", "a/b/file")
    for path in ["a/b/c", "a/b/c/", "a", "."] { try files.createDirectory(path, withParents: true) }
    #expect(try files.list("a/b") == ["c", "file"])
    try files.createLink("link", to: "a/b")
    try files.createDirectory("link", withParents: true)
    try files.createDirectory("link/d/e", withParents: true)
    #expect(try files.list("a/b") == ["c", "d", "file"])
    #expect(try files.kind("link") == .link)
    try files.createDirectory("new/./x/../y/../../other/z", withParents: true)
    #expect(try files.list(".") == ["a", "link", "new", "other"])
    #expect(try files.list("new") == ["x", "y"])
    #expect(try files.list("other") == ["z"])
  }
  Clause(
    "parents-in-the-way", "what is no directory is never replaced by one", from: "mkdir -p"
  ) { files in
    try files.put("text", "file")
    try files.createLink("dangling", to: "missing")
    expectError(.exists, at: "file") { try files.createDirectory("file", withParents: true) }
    expectError(.exists, at: "dangling") {
      try files.createDirectory("dangling", withParents: true)
    }
    expectError(.notDirectory, at: "file/a/b") {
      try files.createDirectory("file/a/b", withParents: true)
    }
    expectError(.exists, at: "dangling/a") {
      try files.createDirectory("dangling/a", withParents: true)
    }
    try files.createLink("loop", to: "loop")
    expectError(.tooManyLinks, at: "loop/a/b") {
      try files.createDirectory("loop/a/b", withParents: true)
    }
    try files.remove("loop")
    #expect(try files.text("file") == "text")
    #expect(try files.list(".") == ["dangling", "file"])
  }
  Clause(
    "makes-parents-together", "several tasks that create a directory with its parents all succeed",
    from: "mkdir -p"
  ) { files in
    for number in 0..<10 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...8 {
          group.addTask { try files.createDirectory("\(number)/b/c/d", withParents: true) }
        }
        try await group.waitForAll()
      }
      #expect(try files.list("\(number)/b/c") == ["d"])
    }
  }
  Clause("lists", "a listing has every name once, in the order of their bytes", from: "readdir()") {
    files in
    let names = ["a", "A", "b", "ab", "é", "z", "Z", ".hidden", "10", "9", "😀", "a b", "-"]
    try files.makeDirectory("directory")
    for name in names where name != "A" && name != "Z" { try files.put("", "directory/" + name) }
    try files.createLink("directory/link", to: "missing")
    try files.makeDirectory("directory/inner")
    try files.put("", "directory/inner/file")
    #expect(
      try files.list("directory") == [
        "-", ".hidden", "10", "9", "a", "a b", "ab", "b", "inner", "link", "z", "é", "😀",
      ])
    try files.createLink("to-directory", to: "directory")
    #expect(try files.list("to-directory") == files.list("directory"))
  }
  Clause(
    "lists-directories-only", "only a directory can be listed", from: "opendir(), ENOTDIR, ENOENT"
  ) { files in
    try files.put("text", "file")
    try files.createLink("link", to: "file")
    try files.createLink("dangling", to: "missing")
    expectError(.notDirectory, at: "file") { try files.list("file") }
    expectError(.notDirectory, at: "link") { try files.list("link") }
    expectError(.notFound, at: "missing") { try files.list("missing") }
    expectError(.notFound, at: "dangling") { try files.list("dangling") }
  }
  Clause(
    "temporary-directories",
    "temporary directories have different names, and only the owner may use them",
    from: "mkdtemp()"
  ) { files in
    try files.makeDirectory("place")
    for number in 0..<50 { try files.makeDirectory("place/tmp-\(number)") }
    var paths: [String] = []
    for _ in 1...20 {
      paths.append(try files.createTemporaryDirectory(in: "place", prefix: "tmp-"))
    }
    #expect(Set(paths).count == 20)
    expectError(.notFound) { try files.createTemporaryDirectory(in: "missing", prefix: "tmp-") }
    let names = try files.list("place").filter { name in !(0..<50).contains { name == "tmp-\($0)" }
    }
    #expect(Set(names.map { "place/" + $0 }) == Set(paths))
    #expect(names.allSatisfy { $0.hasPrefix("tmp-") && $0 != "tmp-" })
    for path in paths {
      #expect(try files.permissions(of: path) == 0o700)
      try files.put("text", path + "/file")
    }
    let path = try files.createTemporaryDirectory(in: ".", prefix: "")
    #expect(try files.list(path) == [])
    expectError(.notFound) { try files.createTemporaryDirectory(in: "missing", prefix: "tmp-") }
  }
}
