import Foundation

/// Where the files of a scaffold go.
struct ScaffoldPlace {
  /// The module that declares the protocol.
  let module: String
  /// The file that declares the protocol, relative to the package's folder.
  let file: String
  /// The folder of the tests.
  let tests: String
  private let manifest: String

  /// The folder of the protocol's file.
  var sources: String { (file as NSString).deletingLastPathComponent }

  init(_ options: Scaffold.Options, in sources: PackageSources) throws(ScaffoldError) {
    let root = options.package
    guard let manifest = try? String(contentsOfFile: "\(root)/Package.swift", encoding: .utf8)
    else {
      throw ScaffoldError(
        .source, "\(root) has no Package.swift; run this in a package's folder")
    }
    self.manifest = manifest
    let file = try Self.file(options, sources)
    self.file = file
    if let module = options.module {
      self.module = module
    } else {
      let parts = file.split(separator: "/").map(String.init)
      guard let index = parts.firstIndex(of: "Sources"), index + 2 < parts.count else {
        throw ScaffoldError(
          .arguments, "\(file) is not in Sources/<module>; name its module: --module NAME")
      }
      // A package may group its targets in folders: the target is the deepest folder that it names.
      let folders = parts[(index + 1)..<(parts.count - 1)]
      self.module = folders.last { manifest.contains("\"\($0)\"") } ?? folders[index + 1]
    }
    tests = options.tests ?? "Tests/\(module)Tests"
  }

  /// The file that declares the protocol, relative to the package's folder.
  private static func file(
    _ options: Scaffold.Options, _ sources: PackageSources
  ) throws(ScaffoldError) -> String {
    let name = options.name
    guard let path = options.file else {
      if let file = sources.files.first(where: { $0.protocols.contains { $0.name == name } }) {
        return file.path
      }
      throw ScaffoldError(.source, "no Swift file of the package declares the protocol '\(name)'")
    }
    let root = options.package + "/"
    guard !path.hasPrefix("/") || path.hasPrefix(root) else {
      throw ScaffoldError(.arguments, "\(path) is not in the package \(options.package)")
    }
    let relative = [root, "./"].first(where: path.hasPrefix).map { path.dropFirst($0.count) }
    guard let file = sources.files.first(where: { $0.path == relative ?? path[...] }) else {
      throw ScaffoldError(.source, "\(path) can't be read as text in UTF-8")
    }
    let found = file.protocols.map(\.name)
    guard found.contains(name) else {
      throw ScaffoldError(
        .source,
        "\(path) does not declare the protocol '\(name)'"
          + (found.isEmpty ? " or any other" : "; it declares \(found.joined(separator: ", "))"))
    }
    return file.path
  }

  /// The lines that the manifest needs, or `nil` if it names the products already.
  func manifestLines(needsExploration: Bool) -> String? {
    let products = ["ContractTesting"] + (needsExploration ? ["DriftExploration"] : [])
    let missing = products.filter { !manifest.contains("\"\($0)\"") }
    let folders = tests.split(separator: "/").map(String.init)
    let target = folders.last { manifest.contains("\"\($0)\"") }
    guard !missing.isEmpty || target == nil else { return nil }
    var text = ""
    if !manifest.contains("swift-contract-testing") {
      text += "  dependencies: [.package(path: \"../swift-contract-testing\")],\n"
    }
    let list = (target == nil ? products : missing).map {
      "        .product(name: \"\($0)\", package: \"swift-contract-testing\"),\n"
    }.joined()
    if let target { return text + "    the dependencies of the target \(target):\n" + list }
    return text + """
          .testTarget(
            name: "\(folders.last ?? tests)",
            dependencies: [
              "\(module)",
      \(list)      ]),

      """
  }
}
