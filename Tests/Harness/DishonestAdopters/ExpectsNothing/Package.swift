// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ExpectsNothing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../../../..")],
  targets: [
    .testTarget(
      name: "ExpectsNothingTests",
      dependencies: [.product(name: "ContractTesting", package: "swift-contract-testing")])
  ]
)
