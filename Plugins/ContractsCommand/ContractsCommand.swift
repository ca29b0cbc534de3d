import Foundation
import PackagePlugin

/// `swift package contracts …`: runs the tool `contracts` in the package's folder.
///
/// SwiftPM exits with 1 for every failure of a plugin. A script that tells exit codes apart runs the
/// tool itself: `swift run contracts diff …`.
///
/// `new` writes files. Where SwiftPM runs plugins in a sandbox (macOS), it needs
/// `swift package --allow-writing-to-package-directory contracts new …`. The plugin does not declare that
/// permission, because SwiftPM would then refuse every command without a terminal, such as `run` in CI.
@main
struct ContractsCommand: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var arguments = arguments
    if arguments.first == "run", !arguments.contains("--help") {
      arguments += try testProgram(of: context)
    }
    let process = Process()
    process.executableURL = try context.tool(named: "contracts").url
    process.arguments = arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Diagnostics.error("contracts exited with \(process.terminationStatus)")
    }
  }

  /// Builds the tests, and returns the options that make `contracts run` start them.
  ///
  /// SwiftPM holds its lock on the build folder while a plugin runs, so a `swift test` that the tool
  /// started would wait forever.
  private func testProgram(of context: PluginContext) throws -> [String] {
    #if os(Linux)
      let build = try packageManager.build(
        .all(includingTests: true), parameters: .init(echoLogs: true))
      guard build.succeeded else { throw BuildError() }
      // <scratch>/plugins/<name>/outputs
      var scratch = context.pluginWorkDirectoryURL
      while scratch.lastPathComponent != "plugins", scratch.pathComponents.count > 1 {
        scratch.deleteLastPathComponent()
      }
      scratch.deleteLastPathComponent()
      let program = "debug/\(context.package.displayName)PackageTests.xctest"
      return ["--test-program", scratch.appendingPathComponent(program).path]
    #else
      // Test bundles of other systems need a host program. Their tests are built a second time, in a
      // folder of their own.
      return ["--scratch-path", ".build/contracts-command"]
    #endif
  }

  private struct BuildError: Error, CustomStringConvertible {
    let description = "the tests do not build"
  }
}
