import Foundation
import SystemFibers
import Testing

/// Whether fibers are available, and the reason where they must not be missing.
@Suite struct FiberAvailabilityTests {
  @Test func `fibers are available, or the process says why they cannot be`() {
    guard let reason = Fiber.unavailability else { return }
    // A new runtime that the probe does not recognise must not pass unnoticed.
    let isExpected = ["sanitizer", "platform", "statically", "shadow stack"].contains {
      reason.contains($0)
    }
    #expect(isExpected, "\(reason)")
    #expect(Fiber {} == nil)
    #expect(!Fiber.isInside && !Fiber.pause())
  }
}

/// A fiber as such: order, nesting, stacks, registers.
@Suite(.enabled(if: Fiber.isAvailable)) struct FiberTests {
  @Test func `a body runs from pause to pause`() throws {
    let steps = Box<[Int]>([])
    let fiber = try #require(
      Fiber {
        for step in 1...3 {
          steps.value.append(step)
          Fiber.pause()
        }
      })
    #expect(steps.value.isEmpty)
    for count in 1...3 {
      #expect(fiber.resume() == .paused)
      #expect(steps.value == Array(1...count))
    }
    #expect(fiber.resume() == .finished)
  }

  @Test func `outside a fiber, a pause returns at once`() throws {
    #expect(!Fiber.isInside)
    #expect(!Fiber.canPause)
    #expect(!Fiber.pause())
    let seen = Box(false)
    let fiber = try #require(Fiber { seen.value = Fiber.isInside && Fiber.canPause })
    #expect(fiber.resume() == .finished)
    #expect(seen.value)
    #expect(!Fiber.isInside)
  }

  @Test func `a pause in a fiber that another fiber has resumed returns to that one`() throws {
    let log = Box("")
    let outer = try #require(
      Fiber {
        guard
          let inner = Fiber({
            log.value += "a"
            Fiber.pause()
            log.value += "d"
          })
        else { return }
        #expect(inner.resume() == .paused)
        log.value += "b"
        Fiber.pause()
        log.value += "c"
        #expect(inner.resume() == .finished)
        log.value += "e"
      })
    #expect(outer.resume() == .paused)
    #expect(log.value == "ab")
    #expect(outer.resume() == .finished)
    #expect(log.value == "abcde")
  }

  @Test func `a body is released when it has returned, or with a fiber that never ran`() throws {
    final class Token {}
    weak var token: Token?
    func makeFiber() -> Fiber? {
      let strong = Token()
      token = strong
      return Fiber { withExtendedLifetime(strong) {} }
    }
    let fiber = try #require(makeFiber())
    #expect(token != nil)
    #expect(fiber.resume() == .finished)
    #expect(token == nil)
    var unused = makeFiber()
    #expect(unused != nil && token != nil)
    unused = nil
    #expect(token == nil)
  }

  @Test func `stacks are used again`() throws {
    let before = Fiber.stackCount
    for _ in 0..<1000 {
      let fiber = try #require(Fiber { Fiber.pause() })
      #expect(fiber.resume() == .paused)
      #expect(fiber.resume() == .finished)
    }
    #expect(Fiber.stackCount <= before + 1)
  }

  @Test func `thousands of fibers pause at the same time and keep their variables`() throws {
    let count = 5000
    let sum = Box(0)
    let fibers = try (0..<count).map { number in
      try #require(
        Fiber {
          withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { values in
            values.initialize(repeating: number)
            Fiber.pause()
            if values.allSatisfy({ $0 == number }) { sum.value += number }
          }
        })
    }
    for fiber in fibers { #expect(fiber.resume() == .paused) }
    #expect(Fiber.stackCount >= count)
    for fiber in fibers.shuffled() { #expect(fiber.resume() == .finished) }
    #expect(sum.value == count * (count - 1) / 2)
    // Free stacks beyond a limit are returned to the system.
    #expect(Fiber.stackCount < count)
  }

  @Test func `most of the stack can be used`() throws {
    let depth = Box(0)
    let fiber = try #require(
      Fiber {
        func descend(until end: UInt) {
          depth.value += 1
          withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { bytes in
            bytes.initialize(repeating: 1)
            if UInt(bitPattern: bytes.baseAddress) > end { descend(until: end) }
          }
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1) { bytes in
          descend(
            until: UInt(bitPattern: bytes.baseAddress) - UInt(Fiber.stackSize * 9 / 10))
        }
      })
    #expect(fiber.resume() == .finished)
    #expect(depth.value > 100)
  }

  /// FE_UPWARD, which the importer makes ambiguous. FE_TONEAREST is 0 everywhere.
  #if arch(x86_64)
    private static let upward: Int32 = 0x800
  #else
    private static let upward: Int32 = 0x40_0000
  #endif

  @Test func `a fiber has a rounding mode of its own`() throws {
    // One third, rounded up in the fiber and to the nearest outside.
    let numbers = Box<[Double]>([1, 3])
    func third() -> Double { numbers.value[0] / numbers.value[1] }
    let nearest = third()
    let inFiber = Box<[Double]>([])
    let fiber = try #require(
      Fiber {
        fesetround(Self.upward)
        inFiber.value.append(third())
        Fiber.pause()
        inFiber.value.append(third())
        fesetround(0)
      })
    #expect(fiber.resume() == .paused)
    let outside = third()
    #expect(fiber.resume() == .finished)
    #expect(outside == nearest)
    #expect(inFiber.value == [nearest.nextUp, nearest.nextUp])
    #expect(third() == nearest)
  }
}

/// A variable that the jobs of one thread share.
final class Box<Value>: @unchecked Sendable {
  // Unchecked: every job of a test runs on the test's thread.
  var value: Value
  init(_ value: Value) { self.value = value }
}
