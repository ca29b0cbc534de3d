// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "..")],
  targets: [
    // Exploration: lock-step and linearizability, beside Hypothesis.
    .executableTarget(
      name: "Exploration",
      dependencies: [.product(name: "ContractExploration", package: "swift-contract-testing")],
      path: "Exploration", exclude: ["Peers"])
  ],
  swiftLanguageModes: [.v6]
)
