import Foundation
import Testing

@testable import CrashExploration

/// What a real file system leaves of random programs after a shutdown is among the images of the modes.
///
/// `Scripts/check-filesystems` runs this as root: `CONTRACT_DISK` is a type of file system, such as `xfs`, and
/// `CONTRACT_DISK_OPTIONS` are options of mount(8).
@Suite(
  .enabled(if: RealDisk.type != nil, "make filesystems"),
  .enabled(if: FileRecorder.unavailability == nil))
struct RealDiskTests {
  @Test func `a file system leaves nothing that the modes of ext4 do not give`() throws {
    let disk = try RealDisk()
    defer { disk.remove() }
    for seed in 1...RealDisk.programs {
      try disk.mount()
      var program = RandomProgram(seed: seed, folder: disk.folder)
      let events = try FileRecorder.recording(disk.folder) { program.run() }
      try disk.shutDown()
      let left = try disk.contents()
      try disk.unmount()

      var recorded = RecordedFolder()
      for event in events { try recorded.apply(event) }
      let isKnown = [CrashMode].ext4.contains { mode in
        FolderImage.images(of: recorded, after: mode).all.contains { $0.wholeContents == left }
      }
      #expect(isKnown, "seed \(seed): \(program.steps) left \(RealDisk.summary(of: left))")
    }
  }
}

/// A file system in an image.
private struct RealDisk {
  static let type = ProcessInfo.processInfo.environment["CONTRACT_DISK"]

  /// The number of random programs. `CONTRACT_SOAK_DISK_PROGRAMS` sets it.
  static let programs =
    ProcessInfo.processInfo.environment["CONTRACT_SOAK_DISK_PROGRAMS"].flatMap(UInt64.init) ?? 100

  private let place: String
  /// The folder on the disk that the programs use.
  var folder: String { place + "/files" }

  init() throws {
    place =
      FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)").path
    try run("mkdir $0 && truncate -s 400M $0.image && mkfs.\(Self.type ?? "") -q $0.image")
  }

  func remove() { try? run("umount $0 2>/dev/null; rm -rf $0 $0.image") }

  /// Mounts the disk with an empty folder, which is synchronized.
  func mount() throws { try run("\(mounting) && rm -rf $0/files && mkdir $0/files && sync -f $0") }

  /// Ends the file system without writing anything, as a power loss does, and mounts it again.
  ///
  /// Source: FS_IOC_SHUTDOWN of Linux with the flag NOLOGFLUSH.
  func shutDown() throws {
    let root = open(place, O_RDONLY | O_CLOEXEC)
    var flags: UInt32 = 2
    let result = ioctl(root, 0x8004_587d, &flags)
    close(root)
    try #require(result == 0, "\(String(cString: strerror(errno)))")
    try run("umount $0 && \(mounting)")
  }

  func unmount() throws { try run("umount $0") }

  /// The files that are on the disk.
  func contents() throws -> [String: FolderImage.WholeContent] {
    var contents: [String: FolderImage.WholeContent] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      contents[name] = .file([UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name))))
    }
    return contents
  }

  /// The bytes of files as runs of equal ones.
  static func summary(of contents: [String: FolderImage.WholeContent]) -> String {
    contents.sorted { $0.key < $1.key }.map { name, content in
      guard case .file(let bytes) = content else { return name }
      let runs = bytes.runs().map { "\($0.count) × \($0.byte)" }
      return "\(name): \(runs.joined(separator: ", "))"
    }.joined(separator: "; ")
  }

  private var mounting: String {
    let options = ProcessInfo.processInfo.environment["CONTRACT_DISK_OPTIONS"] ?? "loop"
    return "mount -o \(options) $0.image $0"
  }

  private func run(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, place]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script)")
  }
}

extension [UInt8] {
  /// The runs of equal bytes.
  fileprivate func runs() -> [(byte: UInt8, count: Int)] {
    reduce(into: []) { runs, byte in
      if runs.last?.byte == byte {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((byte, 1))
      }
    }
  }
}

/// Appends, overwrites, resizes, renames and synchronizes three files in a random order.
///
/// Bytes may also be written to the disk without a promise, by sync_file_range(2). Files are not cut to another
/// size than zero: XFS may then keep the old size with zeros in the rest of the block.
private struct RandomProgram {
  private(set) var steps: [String] = []
  private var state: UInt64
  private let folder: String

  init(seed: UInt64, folder: String) {
    state = seed &* 0x9E37_79B9_7F4A_7C15
    self.folder = folder
  }

  mutating func run() {
    for letter in UInt8(ascii: "a")...UInt8(ascii: "a") + UInt8(2 + random(below: 6)) {
      step(letter)
    }
  }

  private mutating func random(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }

  private mutating func element<Element>(of elements: [Element]) -> Element {
    elements[random(below: elements.count)]
  }

  private mutating func step(_ letter: UInt8) {
    let name = element(of: ["a", "b", "c"])
    let path = "\(folder)/\(name)"
    switch random(below: 9) {
    case 0, 1, 2:
      let size = element(of: [10, 600, 5_000, 9_000])
      with(path, O_WRONLY | O_CREAT | O_APPEND, "append \(size) to \(name)") {
        _ = write($0, [UInt8](repeating: letter, count: size), size)
      }
    case 3:
      let size = element(of: [10, 600, 5_000])
      let offset = element(of: [0, 100, 4_096])
      with(path, O_WRONLY, "write \(size) at \(offset) of \(name)") {
        _ = pwrite($0, [UInt8](repeating: letter, count: size), size, off_t(offset))
      }
    case 4: with(path, O_WRONLY, "fsync \(name)") { fsync($0) }
    case 5: with(folder, O_RDONLY, "fsync the folder") { fsync($0) }
    case 6:
      let other = element(of: ["a", "b", "c"])
      if rename(path, "\(folder)/\(other)") == 0 { steps.append("rename \(name) to \(other)") }
    case 7:
      var status = stat()
      let size = element(of: [0, 3_000, 6_000])
      guard stat(path, &status) == 0, size == 0 || size > status.st_size else { return }
      with(path, O_WRONLY, "resize \(name) to \(size)") { _ = ftruncate($0, off_t(size)) }
    default:
      let start = element(of: [0, 4_096])
      with(path, O_WRONLY, "write back from \(start) of \(name)") {
        // Waits for what is being written, writes, and waits.
        _ = Self.writeBack?($0, Int64(start), 4_096, 7)
      }
    }
  }

  private mutating func with(
    _ path: String, _ flags: Int32, _ name: String, _ body: (Int32) -> Void
  ) {
    let file = open(path, flags | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    steps.append(name)
    body(file)
    close(file)
  }

  /// sync_file_range(2), which Swift does not import.
  private static let writeBack = dlsym(nil, "sync_file_range").map {
    unsafeBitCast($0, to: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32).self)
  }
}
