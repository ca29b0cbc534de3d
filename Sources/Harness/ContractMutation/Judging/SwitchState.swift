import Foundation

/// The memory that the tool and the test processes share: which mutant is active, the fuel, and the
/// mutants that were reached.
///
/// Only one process of tests uses a state at a time. The tool writes before it sends a command and
/// reads after the answer, so that the pipes order the accesses.
final class SwitchState {
  static let headerSize = 64
  /// The exit status of a process that ran out of fuel twice.
  static let fuelStatus: Int32 = 87
  /// The exit status of a process that can't map the state.
  static let brokenStatus: Int32 = 88

  /// The shared file.
  let path: String

  private let count: Int
  private let memory: UnsafeMutableRawPointer

  /// Creates a file in a folder.
  ///
  /// - Parameter count: How many mutants there are.
  /// - Throws: ``MutationError`` if the file can't be created or mapped.
  init(folder: String, name: String, count: Int) throws(MutationError) {
    path = "\(folder)/\(name).state"
    self.count = count
    let size = Self.headerSize + count + 1
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    // A test may run a program of the package as another user, which maps the state as well.
    guard file >= 0, fchmod(file, 0o666) == 0, ftruncate(file, off_t(size)) == 0,
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      memory != MAP_FAILED
    else { throw MutationError("can't create \(path): \(String(cString: strerror(errno)))") }
    close(file)
    self.memory = memory
    setActive(nil, fuel: nil)
  }

  deinit {
    munmap(memory, Self.headerSize + count + 1)
    unlink(path)
  }

  private var words: UnsafeMutablePointer<Int> { memory.assumingMemoryBound(to: Int.self) }

  /// Switches a mutant on, or all off.
  ///
  /// - Parameter fuel: How many switches may be passed, or `nil` for no limit.
  func setActive(_ number: Int?, fuel: Int?) {
    words[0] = number ?? 0
    words[1] = fuel ?? .max
    words[2] = fuel ?? .max
    words[3] = 0
  }

  /// Whether a mutant is switched on.
  var isActive: Bool { words[0] != 0 }

  /// Whether the fuel ran out since ``setActive(_:fuel:)``.
  var isFuelSpent: Bool { words[3] > 0 }

  /// How many switches were passed since ``setActive(_:fuel:)`` without a limit.
  var passedSwitches: Int { Int.max - words[1] }

  /// Returns the mutants that were reached since the last call. The values differ if it was not as
  /// often; they are equal for counts that differ by a multiple of 128.
  func takeReached() -> [Int: UInt8] {
    let bytes = UnsafeMutableRawBufferPointer(start: memory + Self.headerSize, count: count + 1)
    var reached: [Int: UInt8] = [:]
    for (number, byte) in bytes.enumerated() where byte != 0 {
      reached[number] = byte
      bytes[number] = 0
    }
    reached[0] = nil
    return reached
  }
}
