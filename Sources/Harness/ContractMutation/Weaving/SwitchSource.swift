/// The file that is added to each mutated module: whether a mutant is active.
///
/// The modules of a process, and its child processes, share one memory-mapped file, so that no
/// module has to import another one. Its layout is ``SwitchState``'s.
enum SwitchSource {
  static let function = "__mutant"
  static let negation = "__mutantNot"
  static let offset = "__mutantOffset"
  static let emptying = "__mutantEmptied"

  /// The name of the file.
  static let fileName = "ContractMutationSwitch.swift"

  /// The variable that names the shared file. Without it no mutant is active.
  static let variable = "CONTRACT_MUTATION_STATE"

  /// Imports of the system's C library by its names on different systems. Foundation has the same
  /// functions, but its members would change the meaning of the code that is mutated.
  private static let imports = ["Glibc", "Musl", "Darwin"]
    .map { "#if canImport(\($0))\nimport \($0)\n#endif" }.joined(separator: "\n")

  /// The text of the file.
  ///
  /// - Parameter count: How many mutants there are in all modules.
  static func text(count: Int) -> String {
    """
    // Written by 'contracts mutate' into its copy of the package.
    \(imports)

    /// The shared file: the active mutant, the fuel, the fuel to refill, how often it ran out, and
    /// from offset \(SwitchState.headerSize) on a byte for each mutant: how often it was reached.
    private nonisolated(unsafe) let __mutantState: UnsafeMutablePointer<Int> = {
      let size = \(SwitchState.headerSize) + \(count) + 1
      if let path = getenv("\(variable)") {
        let file = open(path, O_RDWR)
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        if file >= 0, let memory, memory != MAP_FAILED {
          return memory.assumingMemoryBound(to: Int.self)
        }
        perror(path)
        _exit(\(SwitchState.brokenStatus))
      }
      let memory = UnsafeMutablePointer<Int>.allocate(capacity: size / 8 + 2)
      memory.initialize(repeating: 0, count: size / 8 + 2)
      memory[1] = Int.max
      return memory
    }()

    // Threads change the counters without synchronization. A lost decrement lets a loop run longer, and
    // a wrong byte of a reached mutant is never 0, so neither changes a verdict.
    // Without optimization, `pointee` is one instruction; a subscript and `storeBytes` are calls of
    // generic functions.
    @usableFromInline nonisolated func \(function)(_ number: Int) -> Bool {
      let state = __mutantState
      let fuel = state + 1
      fuel.pointee = fuel.pointee &- 1
      if fuel.pointee < 0 { \(function)FuelRanOut() }
      let reached = UnsafeMutableRawPointer(state + \(SwitchState.headerSize / 8))
        .assumingMemoryBound(to: UInt8.self)
      let byte = reached + number
      // Odd, so that it is not 0 again after many times.
      byte.pointee = (byte.pointee &+ 1) | 1
      return state.pointee == number
    }

    /// Switches the mutant off, so that most endless loops end; ends the process the second time.
    private nonisolated func \(function)FuelRanOut() {
      __mutantState[3] += 1
      if __mutantState[3] > 1 { _exit(\(SwitchState.fuelStatus)) }
      __mutantState[0] = 0
      __mutantState[1] = __mutantState[2]
    }

    @usableFromInline nonisolated func \(negation)(_ condition: Bool, _ number: Int) -> Bool {
      \(function)(number) ? !condition : condition
    }

    @usableFromInline nonisolated func \(emptying)<Element>(
      _ array: [Element], _ number: Int
    ) -> [Element] {
      \(function)(number) ? [] : array
    }

    @usableFromInline nonisolated func \(emptying)<Key: Hashable, Value>(
      _ dictionary: [Key: Value], _ number: Int
    ) -> [Key: Value] {
      \(function)(number) ? [:] : dictionary
    }

    @usableFromInline nonisolated func \(offset)(_ value: Int, _ above: Int, _ below: Int) -> Int {
      if above > 0, \(function)(above) { return value &+ 1 }
      return below > 0 && \(function)(below) ? value &- 1 : value
    }

    """
  }
}
