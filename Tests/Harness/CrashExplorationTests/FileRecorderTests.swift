import Foundation
import Testing

@testable import CrashExploration

/// Every way to change files is recorded: the recording leads to the folder byte for byte.
@Suite(.enabled(if: FileRecorder.unavailability == nil)) struct FileRecorderTests {
  /// A way to change the files of a folder. It returns a negative number if it failed.
  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var body: @Sendable (_ folder: String) throws -> Int

    init(_ name: String, _ body: @escaping @Sendable (String) throws -> Int) {
      testDescription = name
      self.body = body
    }
  }

  /// Opens a file, calls a closure with its descriptor and closes it.
  private static func with(
    _ path: String, _ flags: Int32 = O_RDWR | O_CREAT, _ body: (Int32) -> Int
  ) -> Int {
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    return body(descriptor)
  }

  /// Creates a file with a text, and returns its size.
  private static func make(_ path: String, _ text: String) -> Int {
    with(path) { write($0, text, text.utf8.count) }
  }

  static let changes: [Change] = [
    Change("write, read and write again") { folder in
      with(folder + "/a") { file in
        var byte: UInt8 = 0
        guard write(file, "hello", 5) == 5, lseek(file, 1, SEEK_SET) == 1 else { return -1 }
        guard read(file, &byte, 1) == 1 else { return -1 }
        return write(file, "XY", 2)
      }
    },
    Change("a write past the end") { folder in
      with(folder + "/a") { pwrite($0, "end", 3, 1000) }
    },
    Change("appending") { folder in
      guard make(folder + "/a", "one") == 3 else { return -1 }
      return with(folder + "/a", O_WRONLY | O_APPEND) { file in
        // Linux appends although there is an offset (pwrite(2)).
        guard write(file, "two", 3) == 3, pwrite(file, "three", 5, 0) == 5 else { return -1 }
        return write(file, "four", 4)
      }
    },
    Change("several buffers") { folder in
      with(folder + "/a") { file in
        var (one, two) = (Array("one".utf8), Array("two".utf8))
        return one.withUnsafeMutableBytes { one in
          two.withUnsafeMutableBytes { two in
            let parts = [
              iovec(iov_base: one.baseAddress, iov_len: 3),
              iovec(iov_base: two.baseAddress, iov_len: 3),
            ]
            guard writev(file, parts, 2) == 6 else { return -1 }
            return pwritev(file, parts, 2, 100)
          }
        }
      }
    },
    Change("truncation when opening") { folder in
      guard make(folder + "/a", "long") == 4 else { return -1 }
      return with(folder + "/a", O_WRONLY | O_CREAT | O_TRUNC) { write($0, "s", 1) }
    },
    Change("truncation and growth") { folder in
      with(folder + "/a") { file in
        guard write(file, "0123456789", 10) == 10, ftruncate(file, 4) == 0 else { return -1 }
        return Int(ftruncate(file, 9)) + Int(truncate(folder + "/a", 7))
      }
    },
    Change("allocation") { folder in
      with(folder + "/a") { Int(-posix_fallocate($0, 10, 90)) }
    },
    Change("a duplicated descriptor") { folder in
      with(folder + "/a") { file in
        let copy = dup(file)
        defer { close(copy) }
        let other = fcntl(file, F_DUPFD_CLOEXEC, 100)
        defer { close(other) }
        return write(copy, "copy", 4) + write(other, "other", 5)
      }
    },
    Change("names: rename, link, symbolic link and removal") { folder in
      for name in ["a", "b", "c"] where make("\(folder)/\(name)", name) < 1 { return -1 }
      guard rename(folder + "/a", folder + "/d") == 0, rename(folder + "/b", folder + "/c") == 0,
        link(folder + "/c", folder + "/e") == 0, symlink("nowhere", folder + "/f") == 0,
        unlink(folder + "/d") == 0
      else { return -1 }
      return with(folder + "/e") { write($0, "both names", 10) }
    },
    Change("folders, renamed with what is in them") { folder in
      guard mkdir(folder + "/x", 0o700) == 0, mkdir(folder + "/x/y", 0o700) == 0,
        make(folder + "/x/y/a", "a") == 1,
        mkdir(folder + "/z", 0o700) == 0, rmdir(folder + "/z") == 0
      else { return -1 }
      return Int(rename(folder + "/x", folder + "/z"))
    },
    Change("a temporary file by its template") { folder in
      var template = Array((folder + "/aXXXXXX").utf8CString)
      let file = mkstemp(&template)
      defer { close(file) }
      return write(file, "temporary", 9)
    },
    Change("relative paths") { folder in
      with(folder, O_RDONLY) { place in
        let file = openat(place, "./x/../a", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        // x does not exist, so the path leads nowhere.
        guard file < 0 else { return -1 }
        let other = openat(place, ".//a", O_WRONLY | O_CREAT, 0o600)
        defer { close(other) }
        guard write(other, "a", 1) == 1 else { return -1 }
        return Int(renameat(place, "a", place, "b") + unlinkat(place, "b", 0))
      }
    },
    Change("Foundation") { folder in
      let data = Data(repeating: 7, count: 100_000)
      let place = URL(fileURLWithPath: folder)
      let files = FileManager.default
      try data.write(to: place.appending(path: "plain"))
      try data.write(to: place.appending(path: "atomic"), options: .atomic)
      try files.copyItem(at: place.appending(path: "plain"), to: place.appending(path: "copy"))
      try files.createDirectory(
        at: place.appending(path: "x/y/z"), withIntermediateDirectories: true)
      try files.moveItem(at: place.appending(path: "copy"), to: place.appending(path: "x/y/c"))
      try files.removeItem(at: place.appending(path: "plain"))
      let handle = try FileHandle(forWritingTo: place.appending(path: "x/y/c"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("more".utf8))
      try handle.synchronize()
      try handle.truncate(atOffset: 50)
      try handle.close()
      return 0
    },
  ]

  private func recording(_ body: (String) throws -> Void) throws -> (RecordedFolder, [FileEvent]) {
    let folder = try WorkingFolder()
    defer { folder.remove() }
    let events = try FileRecorder.recording(folder.path) { try body(folder.path) }
    var recorded = RecordedFolder()
    for event in events { try recorded.apply(event) }
    try recorded.verify(isEqualTo: folder.path)
    return (recorded, events)
  }

  @Test(arguments: changes)
  func `a recording leads to the same files`(change: Change) throws {
    let (_, events) = try recording { folder in
      let result = try change.body(folder)
      #expect(result >= 0, "\(String(cString: strerror(errno)))")
    }
    #expect(!events.isEmpty)
  }

  @Test func `what is done in another folder is not recorded`() throws {
    let other = try WorkingFolder()
    defer { other.remove() }
    let (_, events) = try recording { _ in
      try Data("a".utf8).write(to: URL(fileURLWithPath: other.path + "/a"), options: .atomic)
      rename(other.path + "/a", other.path + "/b")
    }
    #expect(events.isEmpty)
  }

  @Test func `a file that is moved in from another folder gives an error`() throws {
    let other = try WorkingFolder()
    defer { other.remove() }
    try Data("a".utf8).write(to: URL(fileURLWithPath: other.path + "/a"))
    let error = try #require(throws: CrashExplorationError.self) {
      try recording { folder in rename(other.path + "/a", folder + "/a") }
    }
    #expect(error.kind == .unsupportedCall)
    #expect(error.description.contains("moved in from another folder"), "\(error)")
  }

  @Test(arguments: ["unlink", "rename", "rmdir"])
  func `a name that was made unseen gives an error, although nothing of it is left`(_ call: String)
    throws
  {
    let error = try #require(throws: CrashExplorationError.self) {
      try recording { folder in
        let file = fopen(folder + "/LOCK", "w")
        fputs("1", file)
        fclose(file)
        switch call {
        case "unlink": unlink(folder + "/LOCK")
        case "rename": rename(folder + "/LOCK", folder + "/a")
        default:
          unlink(folder + "/LOCK")
          rmdir(folder + "/none")
        }
      }
    }
    #expect(error.kind == .incompleteRecording)
    #expect(error.description.contains("LOCK: nothing recorded made this name"), "\(error)")
  }

  @Test func `a synchronizing write and a raw system call synchronize`() throws {
    typealias Write = @convention(c) (Int32, UnsafePointer<iovec>, Int32, Int, Int32) -> Int
    let pwritev2 = unsafeBitCast(
      try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "pwritev2")), to: Write.self)
    typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int
    let symbol = try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "syscall"))
    let systemCall = unsafeBitCast(symbol, to: SystemCall.self)
    #if arch(x86_64)
      let (fsyncNumber, fdatasyncNumber) = (74, 75)
    #else
      let (fsyncNumber, fdatasyncNumber) = (82, 83)
    #endif
    let (folder, events) = try recording { folder in
      _ = Self.with(folder + "/a") { file in
        var bytes = Array("one".utf8)
        return bytes.withUnsafeMutableBytes { bytes in
          let parts = [iovec(iov_base: bytes.baseAddress, iov_len: 3)]
          // RWF_DSYNC.
          return pwritev2(file, parts, 1, 0, 2)
        }
      }
      for (name, number) in [("b", fsyncNumber), ("c", fdatasyncNumber)] {
        _ = Self.with("\(folder)/\(name)") { file in
          write(file, name, 1) + systemCall(number, Int(file), 0, 0, 0, 0, 0)
        }
      }
      _ = Self.with(folder + "/d", O_WRONLY | O_CREAT | O_DSYNC) { write($0, "d", 1) }
    }
    #expect(events.count { $0.kind == .sync } == 4, "\(events)")
    #expect(
      try images(folder, after: .powerLossKeepingNames)
        == [["a": "one", "b": "b", "c": "c", "d": "d"]])
  }

  // MARK: - Images

  /// The bytes at each path, `/` for a folder.
  private func images(_ folder: RecordedFolder, after mode: CrashMode) throws -> [[String: String]]
  {
    try FolderImage.images(of: folder, after: mode).all.map { image in
      let place = try WorkingFolder()
      defer { place.remove() }
      try image.write(to: place.path)
      var files: [String: String] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: place.path) {
        let data = FileManager.default.contents(atPath: place.path + "/" + path)
        files[path] = data.map { String(decoding: $0, as: UTF8.self) } ?? "/"
      }
      return files
    }
  }

  @Test func `a power loss keeps bytes and names that were synchronized, together or each alone`()
    throws
  {
    let (folder, _) = try recording { folder in
      _ = Self.with(folder + "/old") { file in
        guard write(file, "old", 3) == 3 else { return -1 }
        return Int(fsync(file))
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
      _ = Self.with(folder + "/old", O_WRONLY) { write($0, "changed", 7) }
      _ = Self.with(folder + "/new") { file in
        guard write(file, "new", 3) == 3, fsync(file) == 0 else { return -1 }
        return write(file, "er", 2)
      }
    }
    #expect(try images(folder, after: .processCrash) == [["old": "changed", "new": "newer"]])
    #expect(try images(folder, after: .powerLoss) == [["old": "old"]])
    #expect(try images(folder, after: .powerLossKeepingNames) == [["old": "old", "new": "new"]])
    #expect(try images(folder, after: .powerLossKeepingData) == [["old": "changed"]])
    #expect(
      Set(try images(folder, after: .powerLossTearingWrite)) == [
        ["old": "old", "new": "newer"], ["old": "changed", "new": "new"],
        ["old": "old", "new": "new"], ["old": "changed"], ["old": "old"],
      ])
  }

  @Test func `a rename without its folder is undone, and one file never has two names by it`()
    throws
  {
    let (folder, _) = try recording { folder in
      for name in ["a", "b"] {
        _ = Self.with("\(folder)/\(name)") { file in
          guard write(file, name, 1) == 1 else { return -1 }
          return Int(fsync(file))
        }
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
      rename(folder + "/a", folder + "/b")
    }
    #expect(try images(folder, after: .powerLoss) == [["a": "a", "b": "b"]])
    #expect(try images(folder, after: .powerLossKeepingNames) == [["b": "a"]])
  }

  @Test func `a torn write keeps any of its sectors, over what was there before`() throws {
    let (folder, _) = try recording { folder in
      _ = Self.with(folder + "/a") { file in
        let (old, new) = (String(repeating: "o", count: 700), String(repeating: "n", count: 1000))
        guard write(file, old, 700) == 700, fsync(file) == 0 else { return -1 }
        return pwrite(file, new, 1000, 100)
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
    }
    func text(_ parts: (String, Int)...) -> [String: String] {
      ["a": parts.map { String(repeating: $0.0, count: $0.1) }.joined()]
    }
    let torn = try images(folder, after: .powerLossTearingWrite)
    #expect(torn.count == 5)
    #expect(
      Set(torn) == [
        text(("o", 700)),
        // Sectors end at 512 and 1024.
        text(("o", 100), ("n", 412), ("o", 188)),
        text(("o", 512), ("n", 588)),
        text(("o", 100), ("n", 924)),
        text(("o", 512), ("n", 512)),
      ])
    // No gap is left where the file grew, unless its size is kept before its bytes.
    #expect(
      Set(try images(folder, after: .powerLossKeepingSizes)) == [
        text(("o", 700)),
        text(("o", 700), ("\0", 400)),
        text(("o", 100), ("n", 412), ("o", 188), ("\0", 400)),
        text(("o", 100), ("n", 924), ("\0", 76)),
        text(("o", 700), ("\0", 324), ("n", 76)),
        text(("o", 512), ("n", 512), ("\0", 76)),
        text(("o", 100), ("n", 412), ("o", 188), ("\0", 324), ("n", 76)),
      ])
  }

  @Test func `a write of many sectors is torn at each, and in pages`() throws {
    let (folder, _) = try recording { folder in
      _ = Self.with(folder + "/a") { write($0, String(repeating: "n", count: 8_192), 8_192) }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
    }
    let ends = Set(try images(folder, after: .powerLossTearingWrite).compactMap { $0["a"] })
    #expect(ends == Set((1..<16).map { String(repeating: "n", count: 512 * $0) } + [""]))
    let texts = Set(try images(folder, after: .powerLossKeepingSizes).compactMap { $0["a"] })
    func text(_ first: Int, _ gap: Int) -> String {
      String(repeating: "n", count: first) + String(repeating: "\0", count: gap)
        + String(repeating: "n", count: 8_192 - first - gap)
    }
    #expect(texts.contains(text(1_024, 512)) && texts.contains(text(0, 4_096)))
    #expect(texts.contains(text(4_096, 4_096)) && texts.contains(text(0, 8_192)))
    #expect(texts.count == 3 * 15 + 1)
  }

  @Test func `writes may be lost among others, and a size may be kept without its bytes`() throws {
    let (folder, _) = try recording { folder in
      _ = Self.with(folder + "/a") { file in
        guard write(file, "old!", 4) == 4, fsync(file) == 0, pwrite(file, "NEW", 3, 0) == 3,
          pwrite(file, "record", 6, 4) == 6
        else { return -1 }
        return pwrite(file, "x", 1, 1)
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
    }
    #expect(
      try images(folder, after: .powerLossLosingWrite)
        == [
          "old!", "oxd!record", "NxW!", "oxd!", "NEW!record", "old!record", "NEW!",
        ].map { ["a": $0] })
    #expect(
      try images(folder, after: .powerLossKeepingSizes)
        == [
          "old!", "old!\0\0\0\0\0\0", "oxd!record", "NxW!\0\0\0\0\0\0", "oxd!\0\0\0\0\0\0",
          "NEW!record",
          "old!record", "NEW!\0\0\0\0\0\0",
        ].map { ["a": $0] })
    #expect(Set([CrashMode].posix).subtracting([CrashMode].ext4) == [.powerLossLosingName])
    #expect([CrashMode].posix == CrashMode.allCases)
  }

  @Test
  func `a file may end at a page within an earlier write, or keep the size of an earlier one`()
    throws
  {
    let (folder, _) = try recording { folder in
      _ = Self.with(folder + "/a") { file in
        let text = String(repeating: "n", count: 9_000)
        return write(file, text, 9_000) + write(file, "end", 3) + pwrite(file, "first", 5, 0)
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
    }
    let page = "first" + String(repeating: "n", count: 4_091)
    let torn = Set(try images(folder, after: .powerLossTearingWrite).compactMap { $0["a"] })
    #expect(torn.contains(page) && torn.contains(page + String(repeating: "n", count: 4_096)))
    let grown = Set(try images(folder, after: .powerLossKeepingSizes).compactMap { $0["a"] })
    for size in [9_000, 9_003] { #expect(grown.contains(String(repeating: "\0", count: size))) }
  }

  @Test func `several files are damaged together, and of many ways some are drawn`() throws {
    let (folder, _) = try recording { folder in
      for name in ["a", "b"] { _ = Self.make("\(folder)/\(name)", name) }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
    }
    #expect(
      Set(try images(folder, after: .powerLossLosingWrite))
        == [["a": "", "b": "b"], ["a": "a", "b": ""], ["a": "", "b": ""]])
    let few = DamageCombinations(of: [2, 0, 1])
    #expect(few.isExhaustive && few.all.count == 5 && few.all.contains([1, nil, 0]))
    let many = DamageCombinations(of: [9, 9, 9])
    #expect(!many.isExhaustive && many.all.contains([0, 0, 0]))
    // One file has any damage, and others lose everything.
    for damage in 1..<9 {
      #expect(many.all.contains([0, nil, damage]) && many.all.contains([damage, 0, 0]))
    }
    #expect(many.all.count > 27 + DamageCombinations.limit / 2)
    #expect(many.all == DamageCombinations(of: [9, 9, 9]).all)
  }

  @Test
  func `the first changes of names may be kept, and bytes be lost of a file whose name is kept`()
    throws
  {
    let (folder, _) = try recording { folder in
      _ = Self.make(folder + "/a", "a")
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
      _ = Self.make(folder + "/b", "b")
      rename(folder + "/a", folder + "/c")
      _ = Self.make(folder + "/d", "d")
    }
    #expect(
      Set(try images(folder, after: .powerLossKeepingFirstNames)) == [
        ["a": "a", "b": "b"], ["a": "", "b": ""], ["b": "b", "c": "a"], ["b": "", "c": ""],
      ])
    #expect(try images(folder, after: .powerLossLosingWrite).contains(["a": ""]))
  }

  @Test func `one change of names may be lost among others`() throws {
    let (folder, _) = try recording { folder in
      for name in ["a", "b"] {
        _ = Self.with("\(folder)/\(name)") { file in write(file, name, 1) + Int(fsync(file)) }
      }
      _ = Self.with(folder, O_RDONLY) { Int(fsync($0)) }
      unlink(folder + "/a")
      rename(folder + "/b", folder + "/c")
    }
    #expect(
      Set(try images(folder, after: .powerLossLosingName)) == [["a": "a", "c": "b"], ["b": "b"]])
  }

  @Test func `exempt files may be written in any way, and are in no image`() throws {
    let place = try WorkingFolder()
    defer { place.remove() }
    let events = try FileRecorder.recording(place.path) {
      for name in ["LOCK", "x.log"] { fclose(fopen("\(place.path)/\(name)", "w")) }
      rename(place.path + "/x.log", place.path + "/y.log")
      _ = Self.make(place.path + "/a", "a")
      _ = Self.make(place.path + "/z.log", "z")
      unlink(place.path + "/LOCK")
    }
    let exemptions = [
      CrashExemption(name: "LOCK", reason: "no lock"),
      CrashExemption(name: "*.log", reason: "no log"),
    ]
    var recorded = RecordedFolder(exempting: exemptions)
    let followed = try events.filter { try recorded.apply($0) }
    #expect(followed.map(\.path) == ["a", "a"])
    try recorded.verify(isEqualTo: place.path)
    #expect(recorded.exempted == Set(exemptions))
    #expect(try images(recorded, after: .processCrash) == [["a": "a"]])
    var strict = RecordedFolder()
    #expect(throws: CrashExplorationError.self) {
      for event in events { try strict.apply(event) }
    }
  }

  @Test func `a name in a folder that was not kept is lost with it`() throws {
    let (folder, _) = try recording { folder in
      mkdir(folder + "/x", 0o700)
      _ = Self.with(folder + "/x/a") { write($0, "a", 1) }
      _ = Self.with(folder + "/x", O_RDONLY) { Int(fsync($0)) }
    }
    #expect(try images(folder, after: .powerLossKeepingData) == [[:]])
    #expect(try images(folder, after: .powerLossKeepingNames) == [["x": "/", "x/a": ""]])
  }
}
