import ContractTesting
import ExpiringStoreContract
import ExpiringStorePort
import ExpiringStoreSQLiteAdapter
import FilesContract
import FilesDiskAdapter
import FilesPort
import Foundation
import ManualClocks
import Testing

/// The code of the pages in Sources/Files and Sources/Stores, compiled and run.
@Suite struct ReadyContractPagesTests {
  @Test func `an app's storage works on the disk and in memory`() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let live = AppStorage(files: try DiskFiles(root: folder))
    let fake = AppStorage(files: InMemoryFiles())
    for storage in [live, fake] {
      try storage.save(Data([1]), as: "a")
      #expect(try storage.load("a") == Data([1]))
      #expect(try storage.names() == ["a"])
      try storage.delete("a")
    }
  }

  @Test func `an app's sessions work in SQLite and in memory`() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = folder + "/sessions"
    let clock = ManualClock()
    let live = SessionDriver(store: try SQLiteExpiringStore(path: file))
    let fake = SessionDriver(store: InMemoryExpiringStore(now: { clock.now.offset }))
    for driver in [live, fake] {
      try await driver.create("a", Session(user: "u"), expires: .seconds(60))
      #expect(try await driver.get("a") == Session(user: "u"))
      try await driver.remove("a")
      #expect(try await driver.get("a") == nil)
    }
  }

  @Test(
    arguments: zip(
      ["Files", "Stores"],
      [
        [Contract.files.clauses.count, Contract.filesOnFullDisk.clauses.count],
        [Contract.expiringStore.clauses.count],
      ]))
  func `each line of code of a page is in this file, and the numbers of clauses are right`(
    _ folder: String, _ counts: [Int]
  ) throws {
    let file = URL(filePath: #filePath)
    let root = file.deletingLastPathComponent().appending(path: "../..").standardized
    let page = try String(
      contentsOf: root.appending(path: "Sources/\(folder)/README.md"), encoding: .utf8)
    let products = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    for count in counts {
      #expect(page.contains("\(count) clauses"))
      #expect(products.contains("\(count) clauses"))
    }
    func words(_ text: some StringProtocol) -> String { String(text.filter { !$0.isWhitespace }) }
    let code = try words(String(contentsOf: file, encoding: .utf8))
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    #expect(blocks.count == 2)
    for part in blocks.joined(separator: "\n").split(separator: "\n\n") {
      // A suite of the file has the test of the page.
      for lines in part.components(separatedBy: "@Test") where !words(lines).isEmpty {
        #expect(code.contains(words(lines)), "\(lines)")
      }
    }
  }

  private func folder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
  }
}

// MARK: - Files

private protocol Storage {
  func load(_ name: String) throws -> Data
  func save(_ data: Data, as name: String) throws
  func names() throws -> [String]
  func delete(_ name: String) throws
}

private struct AppStorage: Storage {
  let files: any Files

  func load(_ name: String) throws -> Data { Data(try files.read(name)) }
  func save(_ data: Data, as name: String) throws {
    try files.write(Array(data), to: name, .atomically)
  }
  func names() throws -> [String] { try files.list(".") }
  func delete(_ name: String) throws { try files.remove(name) }
}

private typealias MyFiles = DiskFiles

@Suite(.disabled("compiles the code of a page")) struct MyFilesTests {
  @Test(arguments: Contract.files.cases(for: .mine))
  func holds(_ contractCase: ContractCase<any Files>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<any Files> {
  static let mine = live("mine") { scope in try MyFiles(root: scope.temporaryDirectory().path) }
}

// MARK: - Stores

private struct Session: Codable, Equatable, Sendable { var user: String }

private protocol PersistDriver: Sendable {
  func create(_ key: String, _ session: Session, expires: Duration?) async throws
  func get(_ key: String) async throws -> Session?
  func remove(_ key: String) async throws
}

private struct SessionDriver: PersistDriver {
  let store: any ExpiringStore

  func create(_ key: String, _ session: Session, expires: Duration?) async throws {
    try await store.create(key, session, as: .json, lasting: expires)
  }
  func get(_ key: String) async throws -> Session? { try await store.value(of: key, as: .json) }
  func remove(_ key: String) async throws { try await store.remove(key) }
}

private typealias MyStore = SQLiteExpiringStore

@Suite(.disabled("compiles the code of a page")) struct MyStoreTests {
  @Test(arguments: Contract.expiringStore.cases(for: .mine))
  func holds(_ contractCase: ContractCase<ExpiringStoreFixture>) async throws {
    try await contractCase.verify()
  }
}

extension Implementation<ExpiringStoreFixture> {
  static let mine = live("mine") {
    ExpiringStoreFixture(try MyStore(path: $0.temporaryDirectory().path + "/values"))
  }.storeOnly
}
