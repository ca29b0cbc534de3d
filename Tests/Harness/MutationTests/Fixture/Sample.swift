import Dispatch

enum Sample {
  static let table = makeTable()

  static func makeTable() -> [Int] { [10, 20, 30] }

  static func entry(_ index: Int) -> Int { table[index] }

  static func sum(to n: Int) -> Int {
    var total = 0
    var i = 0
    while i < n {
      total += i
      i += 1
    }
    return total
  }

  /// Recursion whose frames fill a stack of 8 MiB before the fuel ends it.
  static func depth(_ n: Int) -> Int {
    let frame = (SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>(), SIMD64<Int>())
    _ = frame
    if n == 0 { return 0 }
    return depth(n - 1) + 1
  }

  static func grow(to size: Int, atMost limit: Int) -> Int {
    let chunk = [UInt8](repeating: 1, count: 1_048_576)
    var grown: [UInt8] = []
    while grown.count < min(size, limit) { grown += chunk }
    return grown.count
  }

  static func receive() -> Bool {
    let semaphore = DispatchSemaphore(value: 0)
    semaphore.signal()
    semaphore.wait()
    return true
  }

  /// Answers late if nothing comes: after the judge has begun to count the silence.
  static func arrives() -> Bool {
    let arrival = DispatchSemaphore(value: 0)
    arrival.signal()
    return arrival.wait(timeout: .now() + 3) == .success
  }

  // The judge runs one test of this fixture at a time.
  nonisolated(unsafe) static var isOpen = false
  /// The case that makes it 0 fails, and no later one.
  nonisolated(unsafe) static var fuse = 0

  static func visit() -> Bool {
    isOpen = true
    isOpen = false
    return true
  }

  static func light() {
    fuse = 2
    fuse = 0
  }

  static func twice(_ x: Int) -> Int {
    let unused = 5
    _ = unused
    return x * 2
  }

  /// Is computed once, and compared with what the same function returns later.
  static let firstKey = key(1)

  static func key(_ n: Int) -> Int { n + 7 }

  nonisolated(unsafe) static var firstName: Int?

  /// Whether a name is the one that was made first. It is made once more in the first call only.
  static func isName() -> Bool {
    if firstName == nil { firstName = name(1) }
    return name(1) == firstName
  }

  static func name(_ n: Int) -> Int { n + 70 }

  static func unreached(_ x: Int) -> Int { x + 99 }
}
