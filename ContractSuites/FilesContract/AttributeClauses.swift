import ContractTesting
import FilesPort
import Testing

@ClauseBuilder<any Files> var permissionClauses: [Clause<any Files>] {
  Clause(
    "permissions-back", "permissions are those that were set, through links",
    from: "chmod(), stat()"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.createLink("link", to: "file")
    for permissions: Permissions in [0o600, 0o755, 0o444, 0o000, 0o777, 0o124] {
      try files.setPermissions(permissions, of: "link")
      #expect(try files.permissions(of: "file") == permissions)
      #expect(try files.permissions(of: "link") == permissions)
    }
    try files.setPermissions(0o711, of: "directory")
    #expect(try files.permissions(of: "directory") == 0o711)
    try files.createLink("dangling", to: "missing")
    for path in ["missing", "dangling"] {
      expectError(.notFound, at: path) { try files.permissions(of: path) }
      expectError(.notFound, at: path) { try files.setPermissions(0o600, of: path) }
    }
  }
  Clause(
    "permissions-kept", "a write keeps the permissions, and a new file belongs to its owner",
    from: "open()"
  ) { files in
    try files.put("text", "file")
    #expect(try files.permissions(of: "file").mode & 0o700 == 0o600)
    try files.makeDirectory("directory")
    #expect(try files.permissions(of: "directory").mode & 0o700 == 0o700)
    try files.setPermissions(0o604, of: "file")
    for mode in [WriteMode.replacing, .appending, .atomically] {
      try files.write([1], to: "file", mode)
      #expect(try files.permissions(of: "file") == 0o604, "\(mode)")
    }
  }
  Clause(
    "read-only-files", "a file without permission to write is not written, but moved and removed",
    from: "open(), EACCES", requires: .permissions
  ) { files in
    try files.put("text", "file")
    try files.setPermissions(0o444, of: "file")
    try files.createLink("link", to: "file")
    for path in ["file", "link"] {
      for mode in [WriteMode.replacing, .appending, .atomically] {
        expectError(.notPermitted, at: path) { try files.write([1], to: path, mode) }
      }
    }
    #expect(try files.text("file") == "text")
    try files.copy("file", to: "copy")
    try files.makeDirectory("directory")
    try files.move("file", to: "directory/moved")
    #expect(try files.permissions(of: "directory/moved") == 0o444)
    try files.remove("directory/moved")
    #expect(try files.list(".") == ["copy", "directory", "link"])
  }
  Clause(
    "unreadable-files", "a file without permission to read is not read and not copied, but written",
    from: "open(), EACCES", requires: .permissions
  ) { files in
    try files.createDirectory("top/tree/inner", withParents: true)
    let file = "top/tree/inner/file"
    try files.put("text", file)
    try files.put("other", "top/tree/other")
    try files.setPermissions(0o200, of: file)
    expectError(.notPermitted) { try files.read(file) }
    for path in [file, "top/tree", "top"] {
      expectError(.notPermitted) { try files.copy(path, to: "copy") }
    }
    #expect(try files.list(".") == ["top"])
    try files.setPermissions(0o600, of: file)
    // Names can be read, but not followed.
    try files.setPermissions(0o400, of: "top/tree")
    expectError(.notPermitted) { try files.copy("top/tree", to: "copy") }
    try files.makeDirectory("empty")
    try files.setPermissions(0o400, of: "empty")
    try files.copy("empty", to: "copy")
    #expect(try files.list("copy") == [])
    try files.setPermissions(0o700, of: "top/tree")
    try files.setPermissions(0o200, of: file)
    try files.put("new", file)
    try files.setPermissions(0o600, of: file)
    #expect(try files.text(file) == "new")
  }
  Clause(
    "closed-directories", "in a directory without permission to write, no entry changes",
    from: "open(), unlink(), rename(), EACCES", requires: .permissions
  ) { files in
    try files.createDirectory("directory/empty", withParents: true)
    try files.put("text", "directory/file")
    try files.put("other", "other")
    try files.setPermissions(0o555, of: "directory")
    expectError(.notPermitted) { try files.write([1], to: "directory/new", .replacing) }
    expectError(.notPermitted) { try files.write([1], to: "directory/file", .atomically) }
    expectError(.notPermitted) { try files.makeDirectory("directory/new") }
    expectError(.notPermitted) {
      try files.createDirectory("directory/new/inner", withParents: true)
    }
    expectError(.notPermitted) { try files.createLink("directory/new", to: "file") }
    expectError(.notPermitted) { try files.createTemporaryDirectory(in: "directory", prefix: "t") }
    expectError(.notPermitted) { try files.remove("directory/file") }
    expectError(.notPermitted) { try files.remove("directory/empty") }
    expectError(.notPermitted) { try files.removeTree("directory") }
    expectError(.notPermitted) { try files.move("directory/file", to: "moved") }
    expectError(.notPermitted) { try files.move("other", to: "directory/file") }
    expectError(.notPermitted) { try files.copy("other", to: "directory/copy") }
    #expect(try files.list("directory") == ["empty", "file"])
    #expect(try files.text("directory/file") == "text")
    try files.move("directory/file", to: "directory/file")
    // A directory that moves to another gets another entry for `..`.
    try files.setPermissions(0o755, of: "directory")
    try files.setPermissions(0o555, of: "directory/empty")
    expectError(.notPermitted) { try files.move("directory/empty", to: "moved") }
    try files.setPermissions(0o200, of: "directory/empty")
    try files.move("directory/empty", to: "moved")
    try files.move("moved", to: "directory/empty")
    try files.move("directory/empty", to: "directory/renamed")
    try files.setPermissions(0o755, of: "directory/renamed")
    try files.move("directory/renamed", to: "directory/empty")
    for permissions: Permissions in [0o200, 0o100, 0o600] {
      try files.setPermissions(permissions, of: "directory")
      expectError(.notPermitted) { try files.write([1], to: "directory/new", .creating) }
    }
    try files.setPermissions(0o555, of: "directory")
    try files.put("new", "directory/file")
    #expect(try files.text("directory/file") == "new")
    try files.setPermissions(0o755, of: "directory")
    #expect(try files.list(".") == ["directory", "other"])
  }
  Clause(
    "closed-paths", "the error of a move or a copy names the path whose directory may not change",
    from: "this project", requires: .permissions
  ) { files in
    try files.makeDirectory("directory")
    try files.put("text", "directory/file")
    try files.put("other", "other")
    try files.setPermissions(0o555, of: "directory")
    for (source, destination, closed) in [
      ("directory/file", "moved", "directory/file"), ("other", "directory/file", "directory/file"),
      ("directory/file", "directory/moved", "directory/file"),
    ] {
      expectError(.notPermitted, at: closed) { try files.move(source, to: destination) }
    }
    expectError(.notPermitted, at: "directory/copy") {
      try files.copy("other", to: "directory/copy")
    }
    #expect(try files.list("directory") == ["file"])
    #expect(try files.text("other") == "other")
  }
  Clause(
    "closed-trees",
    "a tree with a directory that may not be changed is not removed, not even in part",
    from: "this project", requires: .permissions
  ) { files in
    for name in ["a", "m", "z"] {
      try files.createDirectory("top/tree/\(name)/inner", withParents: true)
      try files.put("text", "top/tree/\(name)/file")
    }
    for closed in ["top", "top/tree", "top/tree/m"] {
      try files.setPermissions(0o555, of: closed)
      expectError(.notPermitted, at: "top/tree") { try files.removeTree("top/tree") }
      for name in ["a", "m", "z"] {
        #expect(try files.list("top/tree/\(name)") == ["file", "inner"], "\(closed)")
      }
      try files.setPermissions(0o755, of: closed)
    }
    try files.removeTree("top/tree")
    #expect(try files.list("top") == [])
  }
  Clause(
    "unsearchable-directories",
    "without permission to search, nothing in a directory is found, though listed",
    from: "4.16 Pathname Resolution, EACCES", requires: .permissions
  ) { files in
    try files.createDirectory("directory/inner", withParents: true)
    try files.put("text", "directory/file")
    try files.setPermissions(0o600, of: "directory")
    for path in [
      "directory/file", "directory/missing", "directory/inner/file", "directory/..", "directory/.",
    ] {
      expectError(.notPermitted, at: path) { try files.kind(of: path, followingLinks: true) }
      expectError(.notPermitted, at: path) { try files.read(path) }
      expectError(.notPermitted, at: path) { try files.setPermissions(0o777, of: path) }
    }
    #expect(try files.list("directory") == ["file", "inner"])
    try files.setPermissions(0o100, of: "directory")
    #expect(try files.text("directory/file") == "text")
    expectError(.notPermitted, at: "directory") { try files.list("directory") }
    try files.setPermissions(0o000, of: "directory")
    #expect(try files.kind("directory") == .directory)
    expectError(.notPermitted) { try files.removeTree("directory") }
    try files.setPermissions(0o700, of: "directory")
    #expect(try files.text("directory/file") == "text")
  }
  Absence(of: .permissions, "permissions are kept, and hold nobody back") { files in
    try files.put("text", "file")
    try files.setPermissions(0o000, of: "file")
    #expect(try files.text("file") == "text")
    #expect(try files.permissions(of: "file") == 0o000)
  }
}

@ClauseBuilder<any Files> var timeClauses: [Clause<any Files>] {
  Clause(
    "times-back", "a time is the one that was set, to the nanosecond, through links",
    from: "utimensat()"
  ) { files in
    try files.put("text", "file")
    try files.makeDirectory("directory")
    try files.createLink("link", to: "file")
    for time in [
      FileTime(seconds: 0), FileTime(seconds: 1_700_000_000, nanoseconds: 123_456_789),
      FileTime(seconds: 86_400 * 365 * 60, nanoseconds: 999_999_999),
    ] {
      for path in ["link", "directory", "."] { try files.setModificationTime(time, of: path) }
      for path in ["file", "link", "directory", "."] {
        #expect(try files.modificationTime(of: path) == time, "\(path)")
      }
    }
    expectError(.notFound, at: "missing") { try files.modificationTime(of: "missing") }
    expectError(.notFound, at: "missing") {
      try files.setModificationTime(FileTime(seconds: 0), of: "missing")
    }
    #expect(try files.text("file") == "text")
  }
  Clause(
    "writes-change-times", "each write of bytes sets the time, and reading does not",
    from: "write()"
  ) { files in
    let old = FileTime(seconds: 1_000_000_000)
    for mode in [WriteMode.replacing, .appending, .atomically] {
      try files.put("text", "file")
      try files.setModificationTime(old, of: "file")
      _ = try files.read("file")
      _ = try files.kind(of: "file", followingLinks: true)
      try files.setPermissions(0o600, of: "file")
      #expect(try files.modificationTime(of: "file") == old)
      try files.write([1], to: "file", mode)
      #expect(try files.modificationTime(of: "file") > old, "\(mode)")
    }
    try files.copy("file", to: "copy")
    #expect(try files.modificationTime(of: "copy") > old)
  }
  Clause(
    "entries-change-times",
    "a directory's time changes with its entries, and not with their content",
    from: "open(), mkdir(), symlink(), unlink(), rename()"
  ) { files in
    let old = FileTime(seconds: 1_000_000_000)
    try files.makeDirectory("directory")
    try files.makeDirectory("other")
    let changes: [(String, () throws -> Void)] = [
      ("create", { try files.put("text", "directory/file") }),
      ("directory", { try files.makeDirectory("directory/inner") }),
      ("link", { try files.createLink("directory/link", to: "file") }),
      ("copy", { try files.copy("directory/file", to: "directory/copy") }),
      ("remove", { try files.remove("directory/copy") }),
      ("remove tree", { try files.removeTree("directory/inner") }),
      ("rename", { try files.move("directory/link", to: "directory/renamed") }),
      ("move out", { try files.move("directory/renamed", to: "other/link") }),
      ("move in", { try files.move("other/link", to: "directory/link") }),
      ("atomic write", { try files.write([1], to: "directory/file", .atomically) }),
    ]
    for (name, change) in changes {
      try files.setModificationTime(old, of: "directory")
      try change()
      #expect(try files.modificationTime(of: "directory") > old, "\(name)")
    }
    try files.setModificationTime(old, of: "directory")
    try files.setModificationTime(old, of: ".")
    try files.write([1], to: "directory/file", .appending)
    try files.write([1], to: "directory/file", .replacing)
    _ = try files.list("directory")
    #expect(try files.modificationTime(of: "directory") == old)
    #expect(try files.modificationTime(of: ".") == old)
  }
  Clause("moves-keep-times", "a moved file keeps its time", from: "rename()") { files in
    let old = FileTime(seconds: 1_000_000_000, nanoseconds: 500_000_000)
    try files.put("text", "file")
    try files.setModificationTime(old, of: "file")
    try files.move("file", to: "moved")
    #expect(try files.modificationTime(of: "moved") == old)
  }
}

@ClauseBuilder<any Files> var nameClauses: [Clause<any Files>] {
  Clause("odd-names", "a name may have any character but a slash and a NUL", from: "3.153 Filename")
  { files in
    let names = [
      " ", "a b", "a\n", "\t", "\\", "*", "?", "%2F", "~", "-rf", "...", "..a", ".a", "a.", "#",
      "é", "日本",
      "👩‍👧", "\u{202e}abc", "\u{7f}", "\u{1}", "con", "a:b", "\"", "'",
    ]
    for name in names { try files.put(name, name) }
    for name in names { #expect(try files.text(name) == name) }
    let listed = try files.list(".")
    #expect(listed.count == names.count)
    #expect(Set(listed.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
    for name in names { try files.move(name, to: "x" + name) }
    for name in names { try files.remove("x" + name) }
    #expect(try files.list(".") == [])
  }
  Clause(
    "case", "names that differ in case are different files", from: "3.153 Filename",
    requires: .caseSensitiveNames
  ) { files in
    try files.put("lower", "name")
    try files.put("upper", "NAME")
    #expect(try files.text("name") == "lower")
    #expect(try files.list(".") == ["NAME", "name"])
  }
  Absence(of: .caseSensitiveNames, "a name leads to a file in whatever case, and keeps its own") {
    files in
    try files.put("text", "Name")
    try files.makeDirectory("Directory")
    try files.put("new", "nAME")
    try files.put("inside", "DIRECTORY/É")
    #expect(try files.text("NAME") == "new")
    #expect(try files.text("directory/é") == "inside")
    #expect(try files.list(".") == ["Directory", "Name"])
    expectError(.exists) { try files.makeDirectory("DIRECTORY") }
    for (old, new) in [("Name", "name"), ("Directory", "directory")] {
      try files.move(old, to: new)
    }
    #expect(try files.list(".") == ["directory", "name"])
    #expect(try files.text("Name") == "new")
  }
  Clause(
    "normalisation", "names that differ in Unicode normalisation are different files",
    from: "3.153 Filename", requires: .exactNames
  ) { files in
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    try files.put("composed", composed)
    try files.put("decomposed", decomposed)
    #expect(try files.text(composed) == "composed")
    #expect(
      try files.list(".").map { Array($0.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)])
  }
  Absence(of: .exactNames, "a name leads to a file in whatever normalisation, and keeps its own") {
    files in
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    try files.put("text", decomposed)
    try files.put("new", composed)
    #expect(try files.text(decomposed) == "new")
    #expect(try files.list(".").map { Array($0.utf8) } == [Array(decomposed.utf8)])
  }
}
