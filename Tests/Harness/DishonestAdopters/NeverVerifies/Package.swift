// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NeverVerifies",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "swift-contract-testing", path: "../../../..")],
  targets: [
    .testTarget(
      name: "NeverVerifiesTests",
      dependencies: [.product(name: "ContractTesting", package: "swift-contract-testing")])
  ]
)
