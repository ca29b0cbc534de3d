import CookiePort
import CookieTestSupport
import Foundation
import Testing

@testable import CookieSQLiteAdapter

/// Tests repairs of random damage; the contract `cookie-salvage` has the rest.
@Suite struct SalvageTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: directory.file())) }

  private func write(_ data: Data) throws { try data.write(to: URL(filePath: directory.file())) }

  @Test func `a file with random damage after its header becomes a store again`() throws {
    try directory.makeStore()
    let valid = try bytes()
    var repaired = 0
    for round in 0..<60 {
      var data = valid
      for _ in 0...Int.random(in: 0..<(round % 40 + 1)) {
        data[Int.random(in: 100..<data.count)] = UInt8.random(in: 0...255)
      }
      try write(data)
      let salvage = try SQLiteCookieStore.salvage(path: directory.file())
      repaired += salvage.isSound ? 0 : 1
      #expect(failureKind { try exercise(directory.file()) } == nil, "\(salvage)")
    }
    #expect(repaired > 10)
  }
}
