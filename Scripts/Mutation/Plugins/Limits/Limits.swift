import Foundation
import PackagePlugin

/// Writes a source file with the most that a tally can reach.
@main
struct Limits: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) -> [Command] {
    let file = context.pluginWorkDirectoryURL.appending(path: "Limits.swift")
    return [
      .buildCommand(
        displayName: "Write \(file.lastPathComponent)", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", "echo 'package enum Limits { package static let most = 3 }' > \(file.path)"],
        outputFiles: [file])
    ]
  }
}
