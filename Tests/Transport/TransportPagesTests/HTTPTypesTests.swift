import Foundation
import SystemProcesses
import Testing

/// Compiles what the landing page says about files that import TransportPort and HTTPTypes.
///
/// HTTPTypes is a stand-in that the test compiles in a temporary folder: a target of this name in
/// the package would collide with the real one in an app that uses both.
@Suite struct HTTPTypesTests {
  /// The part of swift-http-types that the page uses.
  static let standIn = """
    public struct HTTPField: Sendable {
      public struct Name: Sendable {
        public let rawName: String
        public init?(_ name: String) { rawName = name }
      }
      public var name: Name
      public var value: String
      public init(name: Name, value: some Collection<UInt8>) {
        self.name = name
        self.value = String(decoding: value, as: UTF8.self)
      }
    }
    public struct HTTPFields: Sendable, Sequence {
      private var fields: [HTTPField] = []
      public init() {}
      public mutating func append(_ field: HTTPField) { fields.append(field) }
      public func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
    }
    public struct HTTPRequest: Sendable {
      public struct Method: Sendable { public let rawValue: String }
      public var method: Method
      public var scheme: String?
      public var authority: String?
      public var path: String?
      public var headerFields: HTTPFields
    }
    public struct HTTPResponse: Sendable {
      public struct Status: Sendable {
        public init(code: Int, reasonPhrase: String = "") {}
      }
      public var headerFields = HTTPFields()
      public init(status: Status, headerFields: HTTPFields = HTTPFields()) {}
    }
    """

  /// Whether a code block of the page is compiled here.
  static func compiles(_ block: String) -> Bool {
    block.contains("import HTTPTypes") || block.contains("typealias")
  }

  @Test func `an unqualified name is ambiguous, and each remedy of the page compiles`() throws {
    let remedies = PagesTests.blocks(of: try PagesTests.page(of: "Sources/Transport/TransportPort"))
      .filter { Self.compiles($0) }
    #expect(remedies.count == 4)
    let compiler = try Compiler()
    try compiler.emitModule("HTTPTypes", Self.standIn)
    for remedy in remedies { #expect(try compiler.errors(in: [remedy]) == "") }
    let use = """
      import HTTPTypes
      import TransportPort

      func home() -> HTTPRequest { HTTPRequest(url: "https://example.com/") }
      """
    #expect(try compiler.errors(in: [use]).contains("'HTTPRequest' is ambiguous"))
    // The alias is in another file of the same module.
    let alias = try #require(remedies.first { $0.contains("typealias") })
    #expect(try compiler.errors(in: [alias, use]) == "")
  }
}

/// Runs `swiftc` in a temporary folder, with the modules of this build.
private final class Compiler {
  struct NoModules: Error, CustomStringConvertible {
    let description = "TransportPort.swiftmodule not found next to the test bundle"
  }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "HTTPTypesTests-\(UUID().uuidString)")
  private let modules: URL
  private let products: URL

  init() throws {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    var build = URL(fileURLWithPath: bundle)
    var modules: URL?
    while modules == nil, build.pathComponents.count > 1 {
      build.deleteLastPathComponent()
      let candidate = build.appending(path: "Modules")
      let module = candidate.appending(path: "TransportPort.swiftmodule")
      if FileManager.default.fileExists(atPath: module.path) { modules = candidate }
    }
    guard let modules else { throw NoModules() }
    self.modules = modules
    products = build
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Compiles a module that later files can import.
  func emitModule(_ name: String, _ source: String) throws {
    let errors = try run(
      ["-emit-module", "-parse-as-library", "-module-name", name] + (try write([source])))
    #expect(errors == "")
  }

  /// Type-checks files as one module.
  ///
  /// - Returns: The errors, or an empty string.
  func errors(in sources: [String]) throws -> String {
    try run(["-typecheck", "-parse-as-library", "-module-name", "App"] + (try write(sources)))
  }

  private func write(_ sources: [String]) throws -> [String] {
    try sources.enumerated().map { index, source in
      let name = "File\(index).swift"
      try source.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      return name
    }
  }

  private func run(_ arguments: [String]) throws -> String {
    let command =
      ["swiftc", "-swift-version", "6", "-I", folder.path, "-I", modules.path]
      // The port's locks import this C module, and a compiled module has no path to it.
      + ["-Xcc", "-fmodule-map-file=\(products.path)/CPlatform.build/module.modulemap"] + arguments
    let run = try ProgramRun(command, in: folder.path)
    return run.status == 0 ? "" : run.text
  }
}
