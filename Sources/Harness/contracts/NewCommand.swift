import CommandLineSupport
import ContractScaffold
import Foundation

/// `contracts new`: writes a contract, a fake and tests for a protocol.
struct NewCommand {
  private var options: Scaffold.Options

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(
      arguments, options: ["protocol", "module", "tests", "fake", "type"])
    guard let name = arguments.operands.first else {
      throw UsageError("'contracts new' needs the name of a protocol: contracts new JobQueue")
    }
    if arguments.operands.count > 1 {
      throw UsageError("unexpected argument '\(arguments.operands[1])'; give one protocol")
    }
    options = Scaffold.Options(package: FileManager.default.currentDirectoryPath, name: name)
    options.file = arguments["protocol"]
    options.module = arguments["module"]
    options.tests = arguments["tests"]
    options.fake = arguments["fake"]
    for text in arguments.options["type"] ?? [] {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("--type '\(text)' is not valid; give NAME=TYPE, such as Entity=Song")
      }
      options.types[parts[0]] = parts[1]
    }
  }

  func run() throws -> Int32 {
    let scaffold: Scaffold
    do throws(ScaffoldError) {
      scaffold = try Scaffold(options)
      try scaffold.write()
    } catch {
      return try Self.status(of: error)
    }
    var text = "wrote:\n" + scaffold.files.map { "  \($0.path)\n" }.joined()
    if !scaffold.notes.isEmpty {
      text += "could not guess:\n" + scaffold.notes.map { "  \($0)\n" }.joined()
    }
    if let lines = scaffold.manifestLines { text += "add to Package.swift:\n\(lines)" }
    text +=
      "next: swift test --filter \(options.name)ContractTests, and write what 'write me' marks\n"
    try Output.print(text)
    return 0
  }

  /// Prints an error, and returns the exit status.
  ///
  /// - Throws: ``UsageError`` if the arguments are at fault.
  fileprivate static func status(of error: ScaffoldError) throws(UsageError) -> Int32 {
    if error.kind == .arguments { throw UsageError(error.description) }
    Contracts.program.printError(error.description)
    return error.kind == .source ? 65 : 73
  }
}

/// `contracts new --one-test-per-clause`: writes a file with a named test for each clause.
struct NewClauseTestsCommand {
  /// The option that selects this form of `contracts new`.
  static let option = "--one-test-per-clause"

  private let cases: ClauseTestFile.Expression
  private let folder: String
  private let imports: [String]
  private let contract: String
  private let command: String

  init(_ arguments: [String]) throws(UsageError) {
    command =
      "contracts new "
      + arguments.map { $0.contains(/[^\w\/.-]/) ? "'\($0)'" : $0 }.joined(separator: " ")
    let arguments = try Arguments(
      arguments, options: ["one-test-per-clause", "tests", "import", "contract"])
    let text = arguments["one-test-per-clause"] ?? ""
    guard let cases = ClauseTestFile.Expression(text) else {
      throw UsageError(
        "--one-test-per-clause '\(text)' is not valid; give an expression such as "
          + "'Contract<CookieStoreFixture>.cookies.cases(for: .inMemory, .sqlite)'")
    }
    guard let folder = arguments["tests"] else {
      throw UsageError("missing option --tests; give the folder of the tests")
    }
    self.cases = cases
    self.folder = folder
    imports = arguments.list("import")
    contract = arguments["contract"] ?? cases.usualID
  }

  func run() throws -> Int32 {
    let contracts = try Contracts.matrix(of: []).tables.map(\.contract)
    guard let found = contracts.first(where: { $0.id == contract }) else {
      Contracts.program.printError(
        "\(Contracts.latest) has no contract '\(contract)'; run its tests first, or name one with "
          + "--contract: \(contracts.map(\.id).joined(separator: ", "))")
      return 65
    }
    let file = ClauseTestFile(
      cases, contract: contract,
      clauses: found.clauses.filter { found.dropped[$0.id] == nil }.map { ($0.id, $0.sentence) },
      in: folder, importing: imports, command: command)
    let changes: (added: [String], removed: [String])
    do throws(ScaffoldError) {
      changes = try file.write(in: FileManager.default.currentDirectoryPath)
    } catch {
      return try NewCommand.status(of: error)
    }
    let lines = changes.added.map { "  + \($0)\n" } + changes.removed.map { "  - \($0)\n" }
    try Output.print("wrote \(file.path)\n" + lines.joined())
    return 0
  }
}
