import CommandLineSupport
import ContractScaffold
import Foundation

/// `contracts coverage`: shows which requirements of protocols a test run executed.
struct CoverageCommand {
  private var protocols: [String]
  private var profile: String?

  init(_ arguments: [String]) throws(UsageError) {
    let arguments = try Arguments(arguments, options: ["profile"])
    protocols = arguments.operands
    profile = arguments["profile"]
    guard !protocols.isEmpty else {
      throw UsageError("'contracts coverage' needs the name of a protocol")
    }
  }

  func run() throws -> Int32 {
    let found: [RequirementCoverage]
    do throws(ScaffoldError) {
      found = try Self.coverage(of: protocols, profile: profile)
    } catch {
      Contracts.program.printError(error.description)
      return 65
    }
    try Output.print(found.map(\.text).joined())
    return 0
  }

  /// Reads the coverage of protocols from the file that the last `swift test --enable-code-coverage`
  /// left, or from another.
  static func coverage(
    of protocols: [String], profile: String?
  ) throws(ScaffoldError) -> [RequirementCoverage] {
    let root = FileManager.default.currentDirectoryPath
    let path: String
    if let profile {
      path = profile
    } else {
      path = try RequirementCoverage.profile(inPackage: root)
    }
    var found: [RequirementCoverage] = []
    for name in protocols {
      found.append(try RequirementCoverage(of: name, package: root, profile: path))
    }
    return found
  }
}
