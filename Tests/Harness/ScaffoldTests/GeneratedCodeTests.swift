import ContractTesting
import Foundation
import SystemProcesses
import Testing

@testable import ContractScaffold

/// The short form of `Scripts/check-scaffold`, which also runs what is written.
@Suite struct GeneratedCodeTests {
  static let samples = URL(fileURLWithPath: #filePath)
    .appendingPathComponent("../../../../Scripts/Scaffold").standardized

  static let names = [
    "JobQueue", "PriceFeed", "Repository", "SecretVault", "Router", "Tally", "Session", "Ordered",
    "Odd", "Awkward", "Cart",
  ]

  @Test func `what is written for eleven protocols compiles without a warning`() async throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    for name in Self.names { try Scaffold(package.options(name)).write() }
    let app = try await package.compile(
      ["-emit-module", "-module-name", "App", "-emit-module-path", "App.swiftmodule"],
      filesIn: "Sources/App")
    #expect(app == "", "the app")
    // What a person writes first; the compiler does not see the 'try' in it.
    let contract = package.url.appendingPathComponent("Tests/AppTests/JobQueueContract.swift")
    let placeholder =
      "Issue.record(\"write me: the value of count and when it throws JobQueueError\")"
    let text = try String(contentsOf: contract, encoding: .utf8)
    try #require(text.contains(placeholder))
    try package.write(
      text.replacing(placeholder, with: "#expect(try await fixture.jobQueue.count == 0)"),
      to: "Tests/AppTests/JobQueueContract.swift")
    let tests = try await package.compile(["-typecheck"], filesIn: "Tests/AppTests")
    #expect(tests == "", "the tests")
  }

  @Test func `calls meet in what texts name, and optional arguments are nil`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    try package.write(
      """
      protocol Shelf { func add(_ folder: String); func all(in folder: String?) -> [String] }
      final class UserShelf: Shelf { init() {} }
      """, to: "Sources/App/Shelf.swift")
    let shelf = try Scaffold(package.options("Shelf"))
    // It might be the user's own.
    #expect(shelf.notes == ["how to create UserShelf"])
    let tests = shelf.files.map(\.text).joined()
    #expect(tests.contains("static let folderString: Domain<String> = .paths"))
    #expect(
      tests.contains("static let folderOptionalString: Domain<String?> = .optional(.paths)"))
    try package.write(
      "protocol Labels { func set(_ label: String, body: String) }",
      to: "Sources/App/Labels.swift")
    let labels = try Scaffold(package.options("Labels")).files.map(\.text).joined()
    #expect(labels.contains("static let label: Domain<String> = .keys"))
    #expect(labels.contains("static let body: Domain<String> = .texts"))
    try package.write(
      """
      typealias A = B?; typealias B = [A]; struct Knot: Sendable { var id: Knot.ID; var knot: Knot }
      protocol Loop { func use(_ a: A, _ knot: Knot, _ id: Knot.ID) }
      """, to: "Sources/App/Loop.swift")
    #expect(try Scaffold(package.options("Loop")).files.count == 3)
  }

  @Test func `values of the package's types are made of their parts`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    let cart = try Scaffold(package.options("Cart"))
    let tests = cart.files.map(\.text).joined().split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    for part in [
      "live(\"sqlite\") { scope in try CartFixture(cart: SQLiteCart(folder: scope.temporaryDirectory())) }",
      "id: Domain<UUID> = .uuids", "user: Domain<String> = .keys", "tree: Domain<Tree>",
      "{ Shop.Item(name: $0, note: $1, price: $2) }", "{ Money(amount: $0, currency: $1) }",
      "{ Shop.Event.added($0, at: $1) }", "{ Shop.Event.note($0, $1) }", ".of(.cleared)",
      "Domain<App.Operation>", "Domain<App.Operation.Kind> = .allCases",
      "Domain<App.Event> = .of(.start, .stop)", "{ Checked(number: $0, radix: $1) }",
      "`case`: Domain<Case>",
      "parent: Domain<Tree?> = .optional(tree)", "hidden: Domain<Hidden> = .of([], named:",
    ] {
      #expect(tests.contains(part), "\(part) in \(tests)")
    }
    #expect(
      cart.notes == [
        "which values of Hidden calls use; write them in CartValues.hidden",
        "values for count of Shop.Item, JSON.array, children of Tree, which are left out",
        "how to create SQLiteCart; SQLiteCart(folder: scope.temporaryDirectory()) is used",
      ])
  }

  /// `NumbersClauseTests` is such a file. It is compiled and runs with these tests.
  @Test func `a file with one test for each clause compiles and runs`() throws {
    let expression = try #require(
      ClauseTestFile.Expression("Contract<Int>.numbers.cases(for: .one, .two)"))
    let file = ClauseTestFile(
      expression, contract: expression.usualID,
      clauses: [("above-zero", #"it is "above" 0"#), ("all", "it is a number")], in: "Tests",
      importing: [],
      command: "contracts new --one-test-per-clause '\(expression.text)' --tests Tests")
    let written = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../NumbersClauseTests.swift").standardized
    #expect(try String(contentsOf: written, encoding: .utf8) == file.text)
    #expect(
      NumbersClauseTests.cases("above-zero").map(\.id)
        == ["numbers/above-zero@one", "numbers/above-zero@two"])
  }

  @Test func `what can't be guessed is said`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    func notes(_ name: String) throws -> String {
      try Scaffold(package.options(name)).notes.joined(separator: "\n")
    }
    #expect(try notes("JobQueue").contains("how to create FileJobQueue"))
    #expect(
      try notes("PriceFeed").contains("leave out prices(of:), allPrices(), observe(_:onChange:)"))
    #expect(try notes("Repository").contains("SampleValue stands for the associated type Entity"))
    #expect(try notes("Ordered").contains("the requirements of Comparable are not known"))
    #expect(try notes("Odd").contains("between #if and #endif"))
  }

  @Test func `a clause stands for each requirement, inherited ones too`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    let files = try Scaffold(package.options("SecretVault")).files
    let contract = try #require(files.first { $0.path.hasSuffix("SecretVaultContract.swift") }).text
    let ids = contract.matches(of: /Clause\("([^"]*)"/).map { String($0.1) }
    #expect(
      ids == [
        "data", "names", "description", "maximum-size", "is-valid", "init", "set", "remove",
        "subscript", "label",
      ])
  }

  @Test(arguments: [
    ([], "    .testTarget(\n      name: \"Twins\","),
    (["\"AppTests\""], "    the dependencies of the target AppTests:\n"),
    (["\"AppTests\"", "\"ContractTesting\"", "\"DriftExploration\""], nil),
  ])
  func `a target that the manifest names is not added again`(_ names: [String], _ lines: String?)
    throws
  {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    try package.write(names.joined(separator: "\n"), to: "Package.swift")
    try package.write("protocol Twin: Sendable { func one() -> Int }", to: "Sources/App/A.swift")
    var options = package.options("Twin")
    options.tests = "Tests/AppTests/Twins"
    let text = try Scaffold(options).manifestLines
    guard let lines else {
      #expect(text == nil)
      return
    }
    #expect(text?.contains(lines) == true, "\(text ?? "nothing")")
  }

  @Test func `of two protocols with one name, the file decides`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    try package.write("protocol Twin { func one() }", to: "Sources/App/A.swift")
    try package.write("protocol Twin { func two() }", to: "Sources/Other/B.swift")
    try package.write("// swift-tools-version: 6.3\n", to: "Nested/Package.swift")
    try package.write("struct InMemoryTwin: Twin {}", to: "Nested/Sources/Fake.swift")
    var options = package.options("Twin")
    options.file = "./Sources/Other/B.swift"
    let scaffold = try Scaffold(options)
    #expect(
      scaffold.files.map(\.path) == [
        "Sources/Other/InMemoryTwin.swift", "Tests/OtherTests/TwinContract.swift",
        "Tests/OtherTests/TwinContractTests.swift",
      ])
    #expect(scaffold.files[1].text.contains("Clause(\"two\""))
    #expect(!scaffold.files[1].text.contains("Clause(\"one\""))
  }

  @Test func `mistakes in the arguments and the protocol are named with a remedy`() throws {
    let package = try SamplePackage(copying: Self.samples)
    defer { package.remove() }
    try package.write(
      """
      protocol Hidden { associatedtype Key; func a(_ key: Key) }
      private protocol Secret { func a() }
      protocol Empty: Sendable {}
      protocol Numeric<N> { associatedtype N: FixedWidthInteger; func a(_ n: N) }
      """, to: "Sources/App/More.swift")
    func message(_ name: String, _ change: (inout Scaffold.Options) -> Void = { _ in }) -> String {
      var options = package.options(name)
      change(&options)
      do throws(ScaffoldError) {
        _ = try Scaffold(options)
        return ""
      } catch {
        return error.description
      }
    }
    #expect(message("Hidden").contains("declare it as 'protocol Hidden<Key>'"))
    #expect(message("Secret").contains("Secret is private"))
    #expect(message("Empty").contains("no requirements"))
    #expect(message("Numeric").contains("--type N=…"))
    #expect(message("Numeric") { $0.types = ["N": "Int"] } == "")
    #expect(message("Numeric") { $0.types = ["M": "Int"] }.contains("no associated type 'M'"))
    #expect(message("Nothing").contains("declares the protocol 'Nothing'"))
    #expect(
      message("JobQueue") { $0.file = "Sources/App/Router.swift" }.contains("it declares Router"))
    #expect(message("JobQueue") { $0.file = "Sources/None.swift" }.contains("can't be read"))
    #expect(message("JobQueue") { $0.file = "/etc/hosts" }.contains("is not in the package"))
    try package.write("protocol Loose { func a() }", to: "App/Loose.swift")
    #expect(message("Loose").contains("--module NAME"))
    #expect(message("Loose") { $0.module = "App" } == "")
  }
}

extension Contract<Int> {
  static let numbers = Contract("numbers", "Numbers") {
    Clause("above-zero", #"it is "above" 0"#) { #expect($0 > 0) }
    Clause("all", "it is a number") { #expect($0 < .max) }
  }
}

extension Implementation<Int> {
  static let one = fake("one") { 1 }
  static let two = fake("two") { 2 }
}

/// A copy of a package in a temporary folder.
struct SamplePackage {
  let url: URL
  private let root: URL

  init(copying folder: URL) throws {
    root = FileManager.default.temporaryDirectory
      .appendingPathComponent("scaffold-\(UUID().uuidString)", isDirectory: true)
    // A folder above the package may be named like one of a package.
    url = root.appendingPathComponent("Tests/Package", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for name in ["Package.swift", "Sources"] {
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent(name), to: url.appendingPathComponent(name))
    }
  }

  func remove() { try? FileManager.default.removeItem(at: root) }

  func options(_ name: String) -> Scaffold.Options { .init(package: url.path, name: name) }

  func write(_ text: String, to path: String) throws {
    let file = url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Runs the compiler on the files of a folder with the modules of these tests, and returns the
  /// warnings and errors that it prints.
  func compile(_ arguments: [String], filesIn folder: String) async throws -> String {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let maps = try FileManager.default.contentsOfDirectory(atPath: products.path)
      .map { products.appendingPathComponent("\($0)/module.modulemap").path }
      .filter { FileManager.default.fileExists(atPath: $0) }
      .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: url.appendingPathComponent(folder).path
    ).filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    // The plug-in of the macros `#expect` and `#require` is beside the compiler.
    let script = """
      compiler=$(readlink -f "$(command -v swiftc)")
      exec swiftc -plugin-path "${compiler%/bin/*}/lib/swift/host/plugins/testing" "$@" 2>&1
      """
    let flags = [
      "-swift-version", "6", "-enable-testing", "-diagnostic-style", "llvm", "-I", ".", "-I",
      products.appendingPathComponent("Modules").path,
    ]
    let compiling = try await ProgramRun(
      ["sh", "-e", "-c", script, "sh"] + flags + maps + arguments + files, in: url.path)
    let output = compiling.text
    let found = output.split(separator: "\n").filter {
      $0.contains("warning: ") || $0.contains("error: ")
    }
    return compiling.status == 0 && found.isEmpty ? "" : output
  }
}
