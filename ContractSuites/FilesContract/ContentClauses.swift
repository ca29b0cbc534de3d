import ContractTesting
import FilesPort
import Testing

@ClauseBuilder<any Files> var contentClauses: [Clause<any Files>] {
  Clause("reads-back", "a file has the bytes that were written", from: "write()") { files in
    for bytes: [UInt8] in [[], Array(0...255), Array(repeating: 7, count: 1 << 20)] {
      for mode in [WriteMode.replacing, .atomically] {
        try files.write(bytes, to: "file", mode)
        #expect(try files.read("file") == bytes, "\(mode), \(bytes.count) bytes")
      }
    }
    #expect(try files.kind("file") == .file)
  }
  Clause("replaces", "a write replaces all that a file contains", from: "open(), O_TRUNC") {
    files in
    for mode in [WriteMode.replacing, .atomically] {
      try files.put("a long text", "file")
      try files.write(Array("short".utf8), to: "file", mode)
      #expect(try files.text("file") == "short", "\(mode)")
      try files.write([], to: "file", mode)
      #expect(try files.text("file") == "", "\(mode)")
    }
  }
  Clause(
    "appends", "an appended text is at the end of the file, which may be new",
    from: "open(), O_APPEND"
  ) { files in
    for text in ["a", "", "bc"] { try files.write(Array(text.utf8), to: "file", .appending) }
    #expect(try files.text("file") == "abc")
    try files.createLink("link", to: "file")
    try files.write([100], to: "link", .appending)
    #expect(try files.text("file") == "abcd")
  }
  Clause(
    "creates-only", "writing with .creating fails if anything is there, and changes nothing",
    from: "open(), O_EXCL"
  ) { files in
    try files.write([1], to: "file", .creating)
    #expect(try files.read("file") == [1])
    try files.makeDirectory("directory")
    try files.createLink("link", to: "file")
    try files.createLink("dangling", to: "missing")
    for path in ["file", "directory", "link", "dangling"] {
      expectError(.exists, at: path) { try files.write([2], to: path, .creating) }
    }
    #expect(try files.read("file") == [1])
    #expect(try files.kind("missing") == nil)
  }
  Clause(
    "writes-through-links",
    "a write through a link changes or creates its target, and the link stays",
    from: "open()"
  ) { files in
    try files.makeDirectory("there")
    try files.createLink("link", to: "there/file")
    for (text, mode) in zip(
      ["one", "two", "three"], [WriteMode.replacing, .replacing, .atomically])
    {
      try files.write(Array(text.utf8), to: "link", mode)
      #expect(try files.text("there/file") == text, "\(mode)")
      #expect(try files.text("link") == text, "\(mode)")
      #expect(try files.kind("link") == .link, "\(mode)")
    }
    try files.createLink("other", to: "there/new")
    try files.write([1], to: "other", .atomically)
    #expect(try files.list("there") == ["file", "new"])
  }
  Clause(
    "missing-file",
    "a read of a missing file and a write in a missing directory fail",
    from: "open(), ENOENT"
  ) { files in
    expectError(.notFound, at: "missing") { try files.read("missing") }
    expectError(.notFound, at: "missing/file") { try files.read("missing/file") }
    for mode in WriteMode.allCases {
      expectError(.notFound, at: "missing/file") { try files.write([1], to: "missing/file", mode) }
    }
    let names = try files.list(".")
    #expect(names == [])
  }
  Clause(
    "directory-is-no-file", "a directory cannot be read or written",
    from: "open(), EISDIR; read(), EISDIR"
  ) { files in
    try files.makeDirectory("directory")
    for path in ["directory", ".", "directory/"] {
      expectError(.isDirectory, at: path) { try files.read(path) }
      for mode in [WriteMode.replacing, .appending, .atomically] {
        expectError(.isDirectory, at: path) { try files.write([1], to: path, mode) }
      }
    }
    #expect(try files.list(".") == ["directory"])
  }
  Clause(
    "atomic-leaves-nothing", "an atomic write leaves no other name, and keeps the permissions",
    from: "rename(), fchmod()"
  ) { files in
    try files.put("old", "file")
    try files.setPermissions(0o640, of: "file")
    try files.write(Array("new".utf8), to: "file", .atomically)
    #expect(try files.text("file") == "new")
    #expect(try files.permissions(of: "file") == 0o640)
    try files.write([1], to: "other", .atomically)
    #expect(try files.list(".") == ["file", "other"])
  }
  Clause(
    "atomic-for-readers", "who reads during atomic writes finds one of the contents, whole",
    from: "rename()"
  ) { files in
    let contents = [UInt8(1), 2].map { [UInt8](repeating: $0, count: 100_000) }
    try files.write(contents[0], to: "file", .atomically)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for content in contents {
        group.addTask { for _ in 1...5 { try files.write(content, to: "file", .atomically) } }
      }
      for _ in 1...20 {
        let found = try files.read("file")
        #expect(contents.contains(found), "\(found.count) bytes")
        await Task.yield()
      }
      try await group.waitForAll()
    }
    #expect(try files.list(".") == ["file"])
  }
  Clause(
    "appends-together", "appends from several tasks all arrive, each in one piece",
    from: "write(), O_APPEND"
  ) { files in
    try await withThrowingTaskGroup(of: Void.self) { group in
      for byte in UInt8(1)...4 {
        group.addTask {
          for _ in 1...5 {
            try files.write(Array(repeating: byte, count: 100), to: "file", .appending)
          }
        }
      }
      try await group.waitForAll()
    }
    let bytes = try files.read("file")
    #expect(bytes.count == 2000)
    for start in stride(from: 0, to: bytes.count, by: 100) {
      #expect(Set(bytes[start..<min(start + 100, bytes.count)]).count == 1, "at byte \(start)")
    }
  }
  Clause("one-creator", "of several tasks that create a file, one succeeds", from: "open(), O_EXCL")
  { files in
    let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
      for byte in UInt8(1)...8 {
        group.addTask {
          do throws(FilesError) { try files.write([byte], to: "file", .creating) } catch {
            guard error.reason == .exists else { throw error }
            return nil
          }
          return byte
        }
      }
      return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
    }
    #expect(winners.count == 1)
    #expect(try files.read("file") == winners)
  }
}
