import FilesDiskAdapter
import FilesPort
import Foundation
import Synchronization
import Testing

/// What other programs put below the root, and what they change during a call.
@Suite struct HostileFilesTests {
  /// A folder with the root in it, and something outside of the root.
  private final class RootFolder {
    let folder: URL
    let root: URL
    let outside: URL
    let files: DiskFiles

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
      root = folder.appending(path: "root")
      outside = folder.appending(path: "outside")
      for directory in [root, outside] {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      }
      try Data("secret".utf8).write(to: outside.appending(path: "file"))
      files = try DiskFiles(root: root.path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Checks that nothing outside of the root has changed.
    func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: outside.path)
      #expect(names == ["file"], sourceLocation: sourceLocation)
      let text = try String(contentsOf: outside.appending(path: "file"), encoding: .utf8)
      #expect(text == "secret", sourceLocation: sourceLocation)
    }
  }

  private let place: RootFolder

  init() throws { place = try RootFolder() }

  /// A directory in the path is replaced by a link to a directory outside, and back, all the time.
  @Test func `a link that appears during a call leads nowhere`() async throws {
    let (files, root, outside) = (place.files, place.root.path, place.outside.path)
    try files.createDirectory("real", withParents: false)
    try files.write(Array("inside".utf8), to: "real/file", .replacing)
    symlink(outside, root + "/link")
    let swapper = Swapper([
      (root + "/real", root + "/way"), (root + "/way", root + "/real"),
      (root + "/link", root + "/way"), (root + "/way", root + "/link"),
    ])
    let start = ContinuousClock.now
    var refused = 0
    while refused < 2_000, ContinuousClock.now - start < .seconds(5) {
      for call: () throws -> Void in [
        { try files.write(Array("inside".utf8), to: "way/file", .replacing) },
        { try files.write(Array("inside".utf8), to: "way/file", .atomically) },
        { try files.write([1], to: "way/new", .creating) },
        { try files.createDirectory("way/directory", withParents: false) },
        { try files.createLink("way/other", to: "file") },
        { try files.setPermissions(0o600, of: "way/file") },
        { try files.setModificationTime(FileTime(seconds: 0), of: "way/file") },
        { try files.copy("way", to: "copy") }, { try files.move("way/file", to: "way/moved") },
        { try files.move("way/moved", to: "way/file") }, { try files.remove("way/new") },
        { try files.removeTree("way/directory") }, { try files.removeTree("copy") },
        { try files.remove("way/other") },
        {
          let bytes = try files.read("way/file")
          #expect(bytes != Array("secret".utf8))
        },
      ] {
        do { try call() } catch let error as FilesError {
          if error.reason == .outsideRoot { refused += 1 }
        }
      }
    }
    await swapper.stop()
    #expect(refused > 0, "no call has met the link")
    try place.expectUntouched()
    #expect(!FileManager.default.fileExists(atPath: outside + "/new"))
  }

  /// The directory above is another during the call.
  @Test func `a way up from a directory that moves during a call stays below the root`()
    async throws
  {
    let (files, root, outside) = (place.files, place.root.path, place.outside.path)
    try files.createDirectory("a/b", withParents: true)
    let swapper = Swapper([(root + "/a/b", outside + "/b"), (outside + "/b", root + "/a/b")])
    var refused = 0
    let start = ContinuousClock.now
    while refused < 20, ContinuousClock.now - start < .seconds(10) {
      do throws(FilesError) {
        let names = try files.list("a/b/..")
        #expect(!names.contains("file"), "a file outside of the root is listed")
      } catch {
        if error.reason == .outsideRoot { refused += 1 }
      }
    }
    await swapper.stop()
    #expect(refused > 0, "the directory has never moved during a call")
    try place.expectUntouched()
  }

  /// Two threads make the same call at the same moment, many times. Returns how often each number of them succeeded.
  private func race(
    _ count: Int, _ call: @escaping @Sendable (_ number: Int, _ thread: Int) throws -> Void
  ) -> [Int: Int] {
    let race = Race(count)
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      race.run(1, call)
      isOver.signal()
    }
    race.run(0, call)
    isOver.wait()
    return race.successes.withLock { numbers in
      Dictionary(grouping: numbers) { $0 }.mapValues(\.count)
    }
  }

  @Test func `of two threads that create a file, one succeeds`() throws {
    let files = place.files
    #expect(
      race(3_000) { number, _ in try files.write([1], to: "\(number)", .creating) } == [1: 3_000])
  }

  @Test func `appends of two threads to a new file all arrive`() throws {
    let files = place.files
    let result = race(2_000) { number, _ in try files.write([1, 2, 3], to: "\(number)", .appending)
    }
    #expect(result == [2: 2_000])
    for number in 0..<2_000 { #expect(try files.read("\(number)").count == 6) }
  }

  @Test func `two threads create the same directories with their parents`() throws {
    let files = place.files
    let result = race(1_000) { number, _ in
      try files.createDirectory("\(number)/a/b", withParents: true)
    }
    #expect(result == [2: 1_000])
  }

  @Test func `a copy that fails removes what it has created, and nothing else`() throws {
    try place.files.createDirectory("tree", withParents: false)
    for number in 0..<20 {
      try place.files.createLink("tree/link \(number)", to: "x")
      try place.files.write([1], to: "tree/file \(number)", .creating)
      try place.files.createDirectory("tree/directory \(number)/inner", withParents: true)
    }
    try #require(mkfifo(place.root.path + "/tree/pipe", 0o644) == 0)
    #expect(throws: FilesError(.notSupported, at: "tree")) {
      try place.files.copy("tree", to: "copy")
    }
    #expect(try place.files.list(".") == ["tree"])
    let files = place.files
    let result = race(500) { number, thread in
      try files.createLink("\(thread) \(number)", to: "x")
      try files.copy("\(thread) \(number)", to: "copy \(number)")
    }
    #expect(result == [1: 500])
    for number in 0..<500 { #expect(try place.files.target(ofLink: "copy \(number)") == "x") }
  }

  @Test func `a directory that is moved away during a call leads nowhere`() throws {
    try place.files.createDirectory("a/b", withParents: true)
    // Its `..` is outside now.
    #expect(rename(place.root.path + "/a", place.outside.path + "/a") == 0)
    #expect(throws: FilesError(.notFound, at: "a/b/..")) { try place.files.list("a/b/..") }
    #expect(rename(place.outside.path + "/a", place.root.path + "/a") == 0)
    #expect(try place.files.list("a/b/..") == ["b"])
    try place.expectUntouched()
  }

  @Test func `names that are not UTF-8 are an error in a listing, and are copied and removed`()
    throws
  {
    try place.files.createDirectory("tree", withParents: false)
    let path = Array((place.root.path + "/tree/").utf8) + [0xff, 0xfe]
    let descriptor = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o644)
    try #require(descriptor >= 0)
    close(descriptor)
    #expect(throws: FilesError(.invalidName, at: "tree")) { try place.files.list("tree") }
    try place.files.copy("tree", to: "copy")
    #expect(throws: FilesError(.invalidName, at: "copy")) { try place.files.list("copy") }
    try place.files.removeTree("tree")
    try place.files.removeTree("copy")
    #expect(try place.files.list(".") == [])
  }

  @Test func `a link with a target that is not UTF-8 is an error, and is copied and removed`()
    throws
  {
    symlink([CChar(bitPattern: 0xff), 0], place.root.path + "/link")
    #expect(throws: FilesError(.invalidName, at: "link")) { try place.files.target(ofLink: "link") }
    #expect(throws: FilesError(.invalidName, at: "link/x")) { try place.files.read("link/x") }
    try place.files.copy("link", to: "copy")
    #expect(try place.files.kind(of: "copy", followingLinks: false) == .link)
    for path in ["link", "copy"] { try place.files.remove(path) }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a pipe has no content, and no call waits for it`() throws {
    try #require(mkfifo(place.root.path + "/pipe", 0o644) == 0)
    #expect(try place.files.kind(of: "pipe", followingLinks: true) == .other)
    // Without somebody who reads, the system refuses by itself.
    let reader = open(place.root.path + "/pipe", O_RDWR | O_NONBLOCK)
    defer { close(reader) }
    #expect(throws: FilesError(.notSupported, at: "pipe")) { try place.files.read("pipe") }
    for mode in [WriteMode.replacing, .appending, .atomically] {
      #expect(throws: FilesError(.notSupported, at: "pipe")) {
        try place.files.write([1], to: "pipe", mode)
      }
    }
    #expect(throws: FilesError(.notSupported, at: "pipe")) {
      try place.files.copy("pipe", to: "copy")
    }
    #expect(throws: FilesError(.notSupported, at: ".")) {
      try place.files.createDirectory("tree", withParents: false)
      try place.files.move("pipe", to: "tree/pipe")
      do throws(FilesError) { try place.files.copy("tree", to: "copy") } catch {
        throw FilesError(error.reason, at: ".")
      }
    }
    #expect(try place.files.list(".") == ["tree"])
    try place.files.removeTree("tree")
  }

  @Test func `a root that is missing or no directory is an error`() throws {
    for (path, reason): (String, FilesError.Reason) in [
      (place.root.path + "/missing", .notFound), (place.outside.path + "/file", .notDirectory),
      (place.root.path + "\0x", .invalidPath), ("", .notFound),
    ] {
      #expect(throws: FilesError(reason, at: path)) { try DiskFiles(root: path) }
    }
  }

  @Test func `the root stays the same directory when it is moved`() throws {
    try FileManager.default.moveItem(at: place.root, to: place.folder.appending(path: "moved"))
    try place.files.write([1], to: "file", .atomically)
    let file = place.folder.appending(path: "moved/file")
    #expect(try Data(contentsOf: file) == Data([1]))
  }

  @Test func `no call leaves a descriptor open`() throws {
    let files = place.files
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
    guard FileManager.default.fileExists(atPath: "/proc/self/fd") else { return }
    func useAll() throws {
      try files.createDirectory("a/b/c", withParents: true)
      for mode in WriteMode.allCases { try? files.write([1], to: "a/b/file-\(mode)", mode) }
      try files.copy("a", to: "copy")
      _ = try? files.copy("a", to: "a/b/x")
      _ = try? files.read("a/b/missing")
      _ = try? files.read("a/b/../../..")
      _ = try files.list("a/b")
      try files.removeTree("copy")
      try files.removeTree("a")
    }
    try useAll()
    let before = try count()
    for _ in 1...200 { try useAll() }
    // Tests that run at the same time open some too.
    #expect(try count() < before + 150)
  }
}

/// Two threads that make calls at the same moments.
private final class Race: Sendable {
  let successes: Mutex<[Int]>
  private let count: Int
  private let arrived = Atomic(0)

  init(_ count: Int) {
    self.count = count
    successes = Mutex(Array(repeating: 0, count: count))
  }

  func run(_ thread: Int, _ call: (_ number: Int, _ thread: Int) throws -> Void) {
    for number in 0..<count {
      arrived.add(1, ordering: .acquiringAndReleasing)
      // The other thread arrives within microseconds, unless it waits for this one's processor.
      var loads = 0
      while arrived.load(ordering: .acquiring) < 2 * (number + 1) {
        loads += 1
        if loads > 1_000 { sched_yield() }
      }
      if (try? call(number, thread)) != nil { successes.withLock { $0[number] += 1 } }
    }
  }
}

/// A thread that renames paths in turn until it is stopped.
private final class Swapper: Sendable {
  private let isOver = Atomic(false)
  private let hasStopped = Atomic(false)

  init(_ renames: [(from: String, to: String)]) {
    Thread.detachNewThread { [self] in
      while !isOver.load(ordering: .relaxed) { for (from, to) in renames { rename(from, to) } }
      hasStopped.store(true, ordering: .releasing)
    }
  }

  func stop() async {
    isOver.store(true, ordering: .relaxed)
    while !hasStopped.load(ordering: .acquiring) { await Task.yield() }
  }
}
