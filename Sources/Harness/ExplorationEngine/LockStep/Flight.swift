import Foundation

/// What is being run on live subjects, in a file that is left only if the process ends meanwhile.
///
/// The commands follow from a seed, so a run writes two numbers alone, into memory that the file is
/// mapped to: the system keeps them however the process ends. The file is locked as long as the
/// process lives. It lies in the temporary folder, so that a source tree stays clean.
final class Flight: Sendable {
  /// What the numbers are about.
  struct Plan: Codable, Sendable {
    /// Where commands come from.
    enum Origin: Codable, Sendable {
      /// Runs drawn from seeds.
      case seeds(base: UInt64, shard: Int, of: Int, Choices.Strategy)
      /// The commands of a stored example, of a repetition, or on the way to a smaller failure.
      case commands([String])
    }

    var origin: Origin
    /// An earlier process ended with these commands, and now they are run to see whether this one
    /// does.
    var isSuspect = false
  }

  /// What a process left that ended while it ran commands.
  struct Remains {
    var plan: Plan
    /// The run's number in its plan.
    var run: Int
    /// The commands begun; 0 while the subject is made.
    var commands: Int
  }

  let position: FlightPosition
  private let file: URL
  private let descriptor: Int32

  /// A flight for the examples of a specification, or `nil` where no file can be made.
  init?(of spec: String, in store: ExampleStore) {
    file = Self.folder.appending(path: "\(Self.prefix(spec, store))\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    // Nobody looks at a file of this name before it is locked.
    let unlocked = file.appendingPathExtension("new")
    descriptor = open(unlocked.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      ftruncate(descriptor, off_t(FlightPosition.size)) == 0,
      let position = FlightPosition(descriptor), rename(unlocked.path, file.path) == 0
    else {
      unlink(unlocked.path)
      close(descriptor)
      return nil
    }
    self.position = position
  }

  deinit { close(descriptor) }

  /// Says what is run from now on; `nil` is something that cannot be written down.
  func begin(_ plan: Plan?) {
    position.set(run: -1, commands: 0)
    guard let plan, let data = try? JSONEncoder().encode(plan) else { return }
    let end = off_t(FlightPosition.size + data.count)
    let written = data.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(FlightPosition.size))
    }
    guard written == data.count, ftruncate(descriptor, end) == 0 else { return }
    position.set(run: 0, commands: 0)
  }

  /// Says that nothing more is run.
  func end() { unlink(file.path) }

  /// Takes what processes left that are no more.
  static func remains(of spec: String, in store: ExampleStore) -> [Remains] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      guard name.hasPrefix(prefix(spec, store)), !name.hasSuffix(".new") else { return nil }
      let file = folder.appending(path: name)
      let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
      defer { unlink(file.path) }
      guard let data = try? Data(contentsOf: file),
        let (run, commands) = FlightPosition.read(data), run >= 0,
        let plan = try? JSONDecoder().decode(Plan.self, from: data.dropFirst(FlightPosition.size))
      else { return nil }
      return Remains(plan: plan, run: run, commands: commands)
    }
  }

  private static var folder: URL {
    FileManager.default.temporaryDirectory.appending(path: "contract-exploration-\(getuid())")
  }

  /// Tells specifications and folders of examples apart.
  private static func prefix(_ spec: String, _ store: ExampleStore) -> String {
    "\(StoredExample.digest(of: [store.folder.path, spec]))-"
  }
}

/// Two numbers that a loop writes: its run, and the commands begun in it.
///
/// The loop's thread alone writes them, and nobody reads them in this process: that is why the
/// pointer may be shared. They are unmapped when the last loop that might write them is over.
@usableFromInline
final class FlightPosition: @unchecked Sendable {
  static let size = 2 * MemoryLayout<Int>.size

  @usableFromInline let numbers: UnsafeMutablePointer<Int>
  private let isMapped: Bool

  /// Numbers in a file's first bytes.
  init?(_ descriptor: Int32) {
    guard
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else { return nil }
    numbers = memory.bindMemory(to: Int.self, capacity: 2)
    isMapped = true
  }

  /// Numbers that nobody will read.
  init() {
    numbers = .allocate(capacity: 2)
    isMapped = false
  }

  deinit {
    if isMapped { munmap(numbers, Self.size) } else { numbers.deallocate() }
  }

  @inlinable
  func set(run: Int, commands: Int) {
    numbers[0] = run
    numbers[1] = commands
  }

  @inlinable
  func set(commands: Int) { numbers[1] = commands }

  static func read(_ data: Data) -> (run: Int, commands: Int)? {
    guard data.count > size else { return nil }
    return data.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(as: Int.self),
        bytes.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self)
      )
    }
  }
}
