import FilesPort
import ManualClocks
import Testing

/// What only the fake has. The contract checks the rest.
@Suite struct InMemoryFilesTests {
  @Test func `a read-only disk refuses every change and answers every question`() throws {
    let files = InMemoryFiles()
    try files.createDirectory("directory", withParents: false)
    try files.write([1], to: "file", .replacing)
    try files.createLink("link", to: "file")
    #expect(!files.isReadOnly)
    files.isReadOnly = true
    #expect(files.isReadOnly)
    let changes: [() throws -> Void] = [
      { try files.write([2], to: "file", .replacing) },
      { try files.write([2], to: "new", .creating) },
      { try files.write([2], to: "file", .appending) },
      { try files.write([2], to: "file", .atomically) },
      { try files.createDirectory("new", withParents: false) },
      { try files.createDirectory("new/inner", withParents: true) },
      { try files.copy("file", to: "new") }, { try files.move("file", to: "new") },
      { try files.remove("file") }, { try files.removeTree("directory") },
      { try files.createLink("new", to: "file") }, { try files.setPermissions(0o600, of: "file") },
      { try files.setModificationTime(FileTime(seconds: 0), of: "file") },
      { _ = try files.createTemporaryDirectory(in: ".", prefix: "") },
    ]
    for (number, change) in changes.enumerated() {
      let error = #expect(throws: FilesError.self, "\(number)") { try change() }
      #expect(error?.reason == .readOnly, "\(number)")
    }
    #expect(try files.read("link") == [1])
    #expect(try files.list(".") == ["directory", "file", "link"])
    files.isReadOnly = false
    try files.remove("file")
  }

  @Test func `the capacity counts the bytes of files, exactly`() throws {
    let files = InMemoryFiles(capacity: 10)
    try files.createDirectory("a", withParents: false)
    try files.createLink("link", to: "a")
    try files.write(Array(repeating: 1, count: 6), to: "a/six", .creating)
    expectNoSpace { try files.write(Array(repeating: 1, count: 5), to: "five", .creating) }
    expectNoSpace { try files.copy("a", to: "b") }
    expectNoSpace { try files.write(Array(repeating: 1, count: 5), to: "a/six", .appending) }
    try files.write(Array(repeating: 1, count: 4), to: "a/six", .appending)
    expectNoSpace { try files.write([1], to: "one", .creating) }
    try files.write([], to: "empty", .creating)
    expectNoSpace { try files.write(Array(repeating: 1, count: 11), to: "a/six", .replacing) }
    try files.write(Array(repeating: 1, count: 10), to: "a/six", .replacing)
    try files.write([1, 2], to: "a/six", .replacing)
    try files.copy("a", to: "b")
    try files.write(Array(repeating: 1, count: 6), to: "full", .creating)
    expectNoSpace { try files.copy("b", to: "c") }
    try files.removeTree("b")
    try files.write([1, 2], to: "two", .creating)
    try files.move("two", to: "full")
    try files.write(Array(repeating: 1, count: 6), to: "more", .creating)
    expectNoSpace { try files.write([1], to: "one", .creating) }
    #expect(try files.list(".") == ["a", "empty", "full", "link", "more"])
  }

  @Test func `a copy needs room for all files of the tree, exactly`() throws {
    for (capacity, fits) in [(10, true), (9, false)] {
      let files = InMemoryFiles(capacity: capacity)
      try files.createDirectory("a", withParents: false)
      for (name, count) in [("x", 2), ("y", 3)] {
        try files.write(Array(repeating: 1, count: count), to: "a/" + name, .creating)
      }
      if fits {
        try files.copy("a", to: "b")
      } else {
        expectNoSpace { try files.copy("a", to: "b") }
      }
    }
  }

  @Test func `what is removed or replaced leaves the memory`() throws {
    let files = InMemoryFiles()
    try files.createDirectory("a/b/c", withParents: true)
    for name in ["x", "y"] { try files.write([], to: name, .creating) }
    #expect(files.nodeCount == 6)
    try files.move("x", to: "y")
    try files.removeTree("a")
    #expect(files.nodeCount == 2)
  }

  @Test func `an atomic write needs room for the old and the new content`() throws {
    let files = InMemoryFiles(capacity: 10)
    try files.write(Array(repeating: 1, count: 6), to: "file", .atomically)
    expectNoSpace { try files.write(Array(repeating: 2, count: 6), to: "file", .atomically) }
    #expect(try files.read("file") == Array(repeating: 1, count: 6))
    try files.write(Array(repeating: 2, count: 4), to: "file", .atomically)
    try files.write(Array(repeating: 3, count: 6), to: "other", .atomically)
  }

  @Test func `new nodes have the permissions that the umask leaves`() throws {
    for (umask, file, directory): (Permissions, Permissions, Permissions) in [
      (0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0o000, 0o666, 0o777), (0o777, 0o000, 0o000),
    ] {
      let files = InMemoryFiles(umask: umask)
      try files.write([], to: "file", .creating)
      try files.createDirectory("directory", withParents: false)
      #expect(try files.permissions(of: "file") == file)
      #expect(try files.permissions(of: "directory") == directory)
      #expect(try files.permissions(of: ".") == 0o755)
    }
    let files = InMemoryFiles()
    try files.createDirectory("directory", withParents: false)
    #expect(try files.permissions(of: "directory") == 0o755)
  }

  @Test func `times are those of the clock, at each change`() throws {
    let clock = ManualClock()
    let files = InMemoryFiles { FileTime(seconds: clock.now.offset.components.seconds) }
    // The call at each second, and which times it changes.
    let calls: [(() throws -> Void, [String])] = [
      ({ try files.write([1], to: "file", .creating) }, [".", "file"]),
      ({ try files.createDirectory("a", withParents: false) }, [".", "a"]),
      ({ try files.write([1], to: "file", .appending) }, ["file"]),
      ({ try files.copy("file", to: "a/copy") }, ["a", "a/copy"]),
      ({ try files.write([], to: "a/copy", .appending) }, []),
      ({ try files.setPermissions(0o600, of: "a/copy") }, []),
      ({ try files.write([2], to: "a/copy", .atomically) }, ["a", "a/copy"]),
      ({ try files.copy("a", to: "b") }, [".", "b", "b/copy"]),
      ({ try files.remove("b/copy") }, ["b"]),
      ({ try files.move("file", to: "a/file") }, [".", "a"]),
      ({ try files.removeTree("b") }, ["."]),
      // A copy of a directory has begun when its permissions are found to forbid it.
      ({ try files.setPermissions(0o000, of: "a/copy") }, []),
      ({ try? files.copy("a", to: "c") }, ["."]),
      ({ try? files.copy("a/copy", to: "c") }, []),
      ({ try files.setPermissions(0o000, of: "a") }, []),
      ({ try? files.copy("a", to: "c") }, ["."]),
    ]
    var times = [".": FileTime(seconds: 0)]
    for (call, changed) in calls {
      clock.advance(by: .seconds(5))
      try call()
      if let time = times["file"] { times["a/file"] = time }
      for path in changed { times[path] = FileTime(seconds: clock.now.offset.components.seconds) }
      for (path, time) in times where (try? files.kind(of: path, followingLinks: false)) != nil {
        #expect(try files.modificationTime(of: path) == time, "\(path)")
      }
    }
  }

  private func expectNoSpace(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = #expect(throws: FilesError.self, sourceLocation: sourceLocation) { try body() }
    #expect(error?.reason == .noSpace, sourceLocation: sourceLocation)
  }
}
