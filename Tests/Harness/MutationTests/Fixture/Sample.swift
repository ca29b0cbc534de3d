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

  static func depth(_ n: Int) -> Int {
    if n == 0 { return 0 }
    return depth(n - 1) + 1
  }

  // The judge runs one test of this fixture at a time.
  nonisolated(unsafe) static var isOpen = false

  static func visit() -> Bool {
    isOpen = true
    isOpen = false
    return true
  }

  static func twice(_ x: Int) -> Int {
    let unused = 5
    _ = unused
    return x * 2
  }

  static func unreached(_ x: Int) -> Int { x + 99 }
}
