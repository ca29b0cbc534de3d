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
      switch error.kind {
      case .arguments: throw UsageError(error.description)
      case .source, .output:
        Contracts.program.printError(error.description)
        return error.kind == .source ? 65 : 73
      }
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
}
