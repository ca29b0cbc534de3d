import Foundation

/// A file that names the commands that are running on live subjects. It is left over only if the
/// process ends while they run.
///
/// Commands can be drawn again from their seed, so a run writes only two numbers, into memory that
/// is mapped to the file. The kernel keeps them however the process ends, and a step costs two
/// stores. The file is locked while the process lives, so that another process can tell a crash
/// from a run in progress. It is in the temporary folder, outside the source tree.
package final class CrashRecord: Sendable {
  /// The commands that the two numbers refer to.
  package struct Plan: Codable, Sendable {
    /// The source of the commands.
    package enum Origin: Codable, Sendable {
      /// Runs drawn from seeds.
      case seeds(SeededRuns)
      /// Encoded commands, with their choices if those are known: a stored example, a replay, or a
      /// candidate of shrinking.
      case commands([String], ChoiceSequence?)
      /// The program of an exploration with several tasks, drawn from a seed.
      case program(seed: UInt64)
    }

    package var origin: Origin
    /// Whether an earlier process ended while these commands ran, and they run again to confirm it.
    package var isSuspect: Bool

    package init(origin: Origin, isSuspect: Bool = false) {
      self.origin = origin
      self.isSuspect = isSuspect
    }
  }

  /// The record of a process that ended while it ran commands.
  package struct Leftover {
    package var plan: Plan
    /// The run's number in the plan.
    package var run: Int
    /// The number of commands begun; 0 if the subject was being created.
    package var commands: Int
    /// Whether the generator or the model ran, and not the subject.
    package var isInSpecification: Bool
  }

  package let position: CrashPosition
  private let file: URL
  private let descriptor: Int32

  /// Creates a record for an exploration, or returns `nil` if no file can be created.
  ///
  /// - Parameter key: What identifies the exploration; without it, no later process examines the
  ///   record.
  package init?(key: [String]?) {
    guard let folder = Self.folder() else { return nil }
    let prefix = key.map { Self.prefix(of: $0) } ?? ""
    file = folder.appending(path: "\(prefix)\(UUID().uuidString)")
    // `leftovers` ignores this suffix: it must not see the file before it is locked.
    let unlocked = file.appendingPathExtension("new")
    descriptor = open(unlocked.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      ftruncate(descriptor, off_t(CrashPosition.size)) == 0,
      let position = CrashPosition(descriptor), rename(unlocked.path, file.path) == 0
    else {
      unlink(unlocked.path)
      close(descriptor)
      return nil
    }
    self.position = position
  }

  deinit { close(descriptor) }

  /// Records the commands that run from now on; `nil` for commands that cannot be encoded.
  ///
  /// The position is invalid while the plan is written, so that a crash leaves either a whole plan
  /// or none.
  package func begin(_ plan: Plan?) {
    position.set(run: -1, commands: 0)
    guard let plan, let data = try? JSONEncoder().encode(plan) else { return }
    let end = off_t(CrashPosition.size + data.count)
    let written = data.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, off_t(CrashPosition.size))
    }
    guard written == data.count, ftruncate(descriptor, end) == 0 else { return }
    position.set(run: 0, commands: 0)
  }

  /// The path under which another process maps the position.
  package var path: String { file.path }

  /// Removes the record, because no more commands run.
  package func end() { unlink(file.path) }

  /// Removes and returns the records of processes that have ended.
  package static func leftovers(key: [String]) -> [Leftover] {
    guard let folder = folder(),
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    let prefix = prefix(of: key)
    return names.sorted().compactMap { name in
      guard name.hasPrefix(prefix), !name.hasSuffix(".new") else { return nil }
      let file = folder.appending(path: name)
      let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
      defer { unlink(file.path) }
      guard let data = try? Data(contentsOf: file),
        let (run, commands, isInSpecification) = CrashPosition.read(data), run >= 0,
        let plan = try? JSONDecoder().decode(Plan.self, from: data.dropFirst(CrashPosition.size))
      else { return nil }
      return Leftover(
        plan: plan, run: run, commands: commands, isInSpecification: isInSpecification)
    }
  }

  /// Leaves a record for the next process, because the cause of its end is still there.
  package static func leave(_ leftover: Leftover, key: [String]) {
    guard let record = CrashRecord(key: key) else { return }
    record.begin(leftover.plan)
    record.position.set(run: leftover.run, commands: leftover.commands)
    if leftover.isInSpecification { record.position.set(drawing: leftover.commands) }
  }

  /// Creates the folder of a user's records, or returns `nil` if it is not the user's own.
  ///
  /// Every user may write to the temporary folder. A folder that somebody else has created there
  /// could contain records that make this process run their commands.
  ///
  /// - Parameters:
  ///   - parent: The temporary folder.
  ///   - user: The user who must own the folder and be the only one to write to it.
  package static func folder(
    in parent: URL = FileManager.default.temporaryDirectory, of user: uid_t = geteuid()
  ) -> URL? {
    let folder = parent.appending(path: "contract-exploration-\(user)")
    mkdir(folder.path, 0o700)
    var status = stat()
    // Not stat(2), which would follow a link to a folder that the user owns.
    guard lstat(folder.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == user, status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else { return nil }
    return folder
  }

  /// The part of file names that identifies the exploration.
  private static func prefix(of key: [String]) -> String { "\(StoredExample.digest(of: key))-" }
}

/// The number of a loop's run, and of the commands begun in it.
///
/// The second number is negative while code of the specification runs: odd in the generator, even in the model.
///
/// Unchecked, and sound: only the loop's thread writes the numbers. Other threads read them only
/// after the process of that loop has ended. Every loop that may write them retains the object, so
/// they are unmapped after the last loop.
@usableFromInline
package final class CrashPosition: @unchecked Sendable {
  package static let size = 2 * MemoryLayout<Int>.size

  @usableFromInline package let numbers: UnsafeMutablePointer<Int>
  private let isMapped: Bool

  /// Maps the numbers to the first bytes of a file.
  package init?(_ descriptor: Int32) {
    guard
      let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      memory != MAP_FAILED
    else { return nil }
    numbers = memory.bindMemory(to: Int.self, capacity: 2)
    isMapped = true
  }

  /// Maps the numbers of another process's record.
  package convenience init?(atPath path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    self.init(descriptor)
  }

  /// Creates numbers without a file, for loops whose crash is not recorded.
  package init() {
    numbers = .allocate(capacity: 2)
    isMapped = false
  }

  deinit {
    if isMapped { munmap(numbers, Self.size) } else { numbers.deallocate() }
  }

  @inlinable
  package func set(run: Int, commands: Int) {
    numbers[0] = run
    numbers[1] = commands
  }

  @inlinable
  package func set(commands: Int) { numbers[1] = commands }

  /// Sets that the generator draws the command with this index.
  @inlinable
  package func set(drawing step: Int) { numbers[1] = -(2 * step + 1) }

  /// Sets that the model applies the command with this index.
  @inlinable
  package func set(applying step: Int) { numbers[1] = -(2 * step + 2) }

  /// The numbers, for use after the loop's process has ended.
  package var current: (run: Int, commands: Int, isInSpecification: Bool) {
    Self.position(numbers[0], numbers[1])
  }

  package static func read(
    _ data: Data
  ) -> (run: Int, commands: Int, isInSpecification: Bool)? {
    guard data.count > size else { return nil }
    return data.withUnsafeBytes { bytes in
      position(
        bytes.loadUnaligned(as: Int.self),
        bytes.loadUnaligned(fromByteOffset: MemoryLayout<Int>.size, as: Int.self))
    }
  }

  /// The meaning of the two numbers. A command that the model applies counts, one that is drawn doesn't.
  private static func position(
    _ run: Int, _ commands: Int
  ) -> (run: Int, commands: Int, isInSpecification: Bool) {
    (run, commands < 0 ? -commands / 2 : commands, commands < 0)
  }
}
