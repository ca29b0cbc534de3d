import Foundation
import Testing

@testable import SystemPlatform

@Suite struct SystemPlatformTests {
  @Test func `a free port accepts connections while a server listens on it`() throws {
    let port = try LoopbackSocket.freePort()
    #expect(!LoopbackSocket.accepts(port))
    let (listener, bound) = try LoopbackSocket.bound(to: port, isReusable: true)
    defer { close(listener) }
    #expect(bound == port)
    #expect(listen(listener, 1) == 0)
    #expect(LoopbackSocket.accepts(port))
  }

  @Test func `sending to a peer that is gone fails with EPIPE and without a signal`() throws {
    let (one, other) = try #require(makeConnectedSockets())
    defer { close(one) }
    #expect([UInt8]("hi".utf8).withUnsafeBytes { sendBytes($0, on: one) } == 2)
    close(other)
    #expect([UInt8]("hi".utf8).withUnsafeBytes { sendBytes($0, on: one) } == -1)
    #expect(errno == EPIPE)
  }

  @Test(arguments: [("", true), ("bc", true), ("abcd", true), ("cb", false), ("abcde", false)])
  func `bytes contain a part`(part: String, isContained: Bool) {
    let found = [UInt8]("abcd".utf8).withUnsafeBytes { whole in
      [UInt8](part.utf8).withUnsafeBytes { whole.contains($0) }
    }
    #expect(found == isContained)
  }

  @Test func `a symbol is found by name and by address`() throws {
    let address = try #require(symbolAddress(of: "swift_retain"))
    #expect(symbolName(at: UInt(bitPattern: address))?.contains("retain") == true)
    #expect(image(containing: UInt(bitPattern: address))?.path.contains("swiftCore") == true)
    #expect(symbolAddress(of: "no_such_symbol_anywhere") == nil)
    #expect(demangled("$sSi") == "Swift.Int")
    #expect(demangled("main") == nil)
  }

  @Test func `the monotonic clock never goes back`() {
    let times = (0..<100).map { _ in monotonicNanoseconds() }
    #expect(times == times.sorted())
  }
}
