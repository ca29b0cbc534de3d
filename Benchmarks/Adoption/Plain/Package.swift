// swift-tools-version: 6.2
import PackageDescription

// The package that the Contract package is compared with: the same code under test, and plain tests.
let package = Package(
  name: "Adopter",
  platforms: [.macOS(.v15)],
  targets: [.testTarget(name: "AdopterTests")],
  swiftLanguageModes: [.v6]
)
