// swift-tools-version: 6.3
import PackageDescription

// The package that the Contract package is compared with: a test target without dependencies.
let package = Package(
  name: "Adopter",
  platforms: [.macOS(.v15)],
  targets: [.testTarget(name: "AdopterTests")],
  swiftLanguageModes: [.v6]
)
