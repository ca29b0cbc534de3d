// swift-tools-version: 6.2
import PackageDescription

// The smallest package that adopts the harness.
let package = Package(
  name: "Adopter",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../../..")],
  targets: [
    .testTarget(
      name: "AdopterTests",
      dependencies: [.product(name: "ContractTesting", package: "swift-contract-testing")])
  ],
  swiftLanguageModes: [.v6]
)
