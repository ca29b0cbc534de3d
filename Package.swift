// swift-tools-version: 6.2
import PackageDescription

/// The names of the test targets to build, joined by commas, or nil for all: a build of a few is much shorter.
let chosenTests = Context.environment["CONTRACT_TESTS"]?.split(separator: ",").map(String.init)

/// Whether Linux takes the code of other systems where that exists, so that tests run it.
let isPortable = Context.environment["CONTRACT_PORTABLE"] == "1"
let portable: [CSetting] = isPortable ? [.define("PLATFORM_PORTABLE")] : []

/// Virtual time for `Task.sleep`: the protocol `SchedulingExecutor` is SPI of the runtime of Swift 6.3, and newer than
/// the oldest systems of Apple that the package supports.
#if compiler(>=6.3)
  let schedulingExecutor: [SwiftSetting] =
    isPortable ? [] : [.define("HAS_SCHEDULING_EXECUTOR", .when(platforms: [.linux]))]
#else
  let schedulingExecutor: [SwiftSetting] = []
#endif

/// The tests of the curl adapter that Swift 6.2 can't compile: it neither cancels tests nor hands values to exit tests.
#if compiler(>=6.3)
  let testsForNewerSwift: [String] = []
#else
  let testsForNewerSwift = ["CurlProxyTests.swift", "ForeignServerTests.swift"]
#endif

// Each house lists its targets; a target's folder follows from its house, kind and name.

let system: [Target] = [
  // C libraries.
  .systemLibrary(
    name: "CBrotli", pkgConfig: "libbrotlidec",
    providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
  .systemLibrary(
    name: "CCurl", pkgConfig: "libcurl",
    providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(name: "CGetopt"),
  .systemLibrary(
    name: "CNGHTTP2", pkgConfig: "libnghttp2",
    providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
  .systemLibrary(
    name: "COpenSSL", pkgConfig: "openssl",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(
    name: "CPSL", pkgConfig: "libpsl", providers: [.apt(["libpsl-dev"]), .brew(["libpsl"])]),
  .systemLibrary(
    name: "CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .target(name: "CDispatchWatch", cSettings: portable),
  .target(name: "CExploredPoints"),
  .target(name: "CFileRecorder", cSettings: portable),
  .target(name: "CFibers", cSettings: portable),
  .target(name: "CPlatform", cSettings: portable),

  // What the other houses share.
  .target(name: "ExploredSynchronization", dependencies: ["CExploredPoints"]),
  .target(name: "SeededRandom"),
  .target(name: "SystemFibers", dependencies: ["CFibers"]),
  .target(name: "SystemLocks", dependencies: ["CPlatform"]),
  .target(name: "SystemPlatform", dependencies: ["CPlatform"]),
  .target(name: "SystemProcesses", dependencies: ["CPlatform", "SystemLocks"]),
  .target(name: "SystemThreads", dependencies: ["CPlatform"]),
  .target(name: "ManualClocks", dependencies: ["SystemLocks"]),
  .testTarget(
    name: "ExploredSynchronizationTests", dependencies: ["ExploredSynchronization"]),
  .testTarget(name: "SystemFibersTests", dependencies: ["SystemFibers"]),
  .testTarget(name: "SystemLocksTests", dependencies: ["SystemLocks"]),
  .testTarget(name: "SystemPlatformTests", dependencies: ["CPlatform", "SystemPlatform"]),
  .testTarget(name: "SystemProcessesTests", dependencies: ["SystemProcesses"]),
  .testTarget(name: "SystemThreadsTests", dependencies: ["SystemLocks", "SystemThreads"]),
  .testTarget(name: "ManualClocksTests", dependencies: ["ManualClocks"]),
]

let harness: [Target] = [
  .target(name: "HarnessSupport"),
  .target(name: "ContractEvidence", dependencies: ["HarnessSupport", "SystemLocks"]),
  .target(
    name: "ContractTesting",
    dependencies: ["CPlatform", "ContractEvidence", "HarnessSupport", "SystemLocks"]),
  .target(
    name: "ContractLiveCalls",
    dependencies: ["ContractEvidence", "ContractTesting", "SystemLocks"]),
  .target(
    name: "ExplorationEngine",
    dependencies: [
      "HarnessSupport", "SeededRandom", "SystemLocks", "SystemPlatform", "SystemThreads",
    ]),
  .target(
    name: "LockStepExploration",
    dependencies: [
      "ExplorationEngine", "HarnessSupport", "SeededRandom", "SystemLocks", "SystemPlatform",
    ]),
  .target(
    name: "LinearizabilityChecking",
    dependencies: ["ExplorationEngine", "SeededRandom", "SystemLocks", "SystemPlatform"]),
  .target(
    name: "FaultExploration",
    dependencies: ["ExplorationEngine", "LinearizabilityChecking", "SeededRandom", "SystemLocks"]),
  // The only one that interposes functions of the runtime and of libraries.
  .target(
    name: "InterleavingExploration",
    dependencies: [
      "CDispatchWatch", "CExploredPoints", "ExplorationEngine", "LinearizabilityChecking",
      "SeededRandom", "SystemFibers", "SystemLocks", "SystemPlatform", "SystemThreads",
    ],
    swiftSettings: schedulingExecutor),
  .target(
    name: "ContractExploration",
    dependencies: [
      "ContractTesting", "ExplorationEngine", "FaultExploration", "LinearizabilityChecking",
      "LockStepExploration", "SystemLocks",
    ]),
  .target(
    name: "ContractInterleavings",
    dependencies: [
      "ContractExploration", "ContractTesting", "InterleavingExploration", "SystemLocks",
    ]),
  .target(
    name: "DriftExploration",
    dependencies: ["ContractExploration", "ContractTesting", "SwiftSource", "SystemLocks"]),
  .target(
    name: "CrashExploration",
    dependencies: ["CFileRecorder", "ContractExploration", "ContractTesting", "SystemPlatform"]),
  .target(
    name: "RecordedHistories", dependencies: ["ExplorationEngine", "LinearizabilityChecking"]),
  .target(
    name: "ServerFixtures",
    dependencies: [
      "ContractTesting", "FaultExploration", "SeededRandom", "SystemLocks", "SystemPlatform",
      "SystemProcesses", "SystemThreads",
    ]),
  .target(name: "ContractReports", dependencies: ["ContractEvidence"]),
  .target(
    name: "CommandLineSupport", dependencies: ["CGetopt", "ContractEvidence", "RecordedHistories"]),
  .target(name: "SwiftSource"),
  .target(
    name: "ContractMutation",
    dependencies: [
      "CPlatform", "ContractEvidence", "HarnessSupport", "SwiftSource", "SystemLocks",
      "SystemProcesses",
    ]),
  .target(name: "ContractScaffold", dependencies: ["SwiftSource", "SystemProcesses"]),
  .executableTarget(
    name: "contracts",
    dependencies: [
      "CommandLineSupport", "ContractEvidence", "ContractMutation", "ContractReports",
      "ContractScaffold", "HarnessSupport", "SystemLocks",
    ]),
  .target(
    name: "EvidenceSamples", dependencies: ["ContractEvidence", "ContractReports"],
    path: "Tests/Harness/EvidenceSamples"),
  .testTarget(
    name: "EvidenceTests",
    dependencies: ["ContractEvidence", "ContractReports", "EvidenceSamples", "SeededRandom"]),
  .testTarget(name: "HarnessSupportTests", dependencies: ["HarnessSupport"]),
  .testTarget(
    name: "ReportsTests",
    dependencies: ["ContractEvidence", "ContractReports", "EvidenceSamples"]),
  .testTarget(
    name: "HarnessTests",
    dependencies: [
      "CPlatform", "ContractEvidence", "ContractInterleavings", "ContractLiveCalls",
      "ContractReports", "ContractTesting", "SystemLocks", "SystemProcesses", "harness-specimens",
    ]),
  .executableTarget(
    name: "harness-specimens",
    dependencies: [
      "ContractExploration", "ContractInterleavings", "ContractTesting", "SystemLocks",
    ],
    path: "Tests/Harness/HarnessSpecimens"),
  .testTarget(
    name: "ExplorationTests",
    dependencies: [
      "ExplorationEngine", "ExploredSynchronization", "FaultExploration", "InterleavingExploration",
      "LinearizabilityChecking", "LockStepExploration", "RecordedHistories", "SeededRandom",
      "SystemFibers", "SystemLocks", "SystemProcesses", "example-writer",
    ]),
  .executableTarget(
    name: "value-server", dependencies: ["SystemPlatform"],
    path: "Tests/Harness/ValueServer"),
  .testTarget(
    name: "ServerFixturesTests",
    dependencies: [
      "ContractTesting", "FaultExploration", "SeededRandom", "ServerFixtures", "SystemLocks",
      "SystemPlatform", "SystemProcesses", "value-server",
    ]),
  .testTarget(
    name: "CrashExplorationTests",
    dependencies: ["CrashExploration", "ContractTesting"]),
  .testTarget(
    name: "DriftExplorationTests",
    dependencies: ["ContractTesting", "DriftExploration", "SystemLocks"]),
  .testTarget(
    name: "ForeignPortsTests",
    dependencies: [
      "CSQLite", "ContractTesting", "DriftExploration", "ServerFixtures", "SystemLocks",
    ],
    exclude: ["smtp-server.py"]),
  .testTarget(name: "RecordedHistoriesTests", dependencies: ["RecordedHistories"]),
  .executableTarget(
    name: "example-writer", dependencies: ["LockStepExploration"],
    path: "Tests/Harness/ExampleWriter"),
  .testTarget(
    name: "MutationTests",
    dependencies: [
      "ContractMutation", "ContractTesting", "HarnessSupport", "SwiftSource", "contracts",
    ],
    exclude: ["Fixture"]),
  .testTarget(
    name: "ScaffoldTests",
    dependencies: [
      "ContractScaffold", "ContractTesting", "DriftExploration", "SystemProcesses", "contracts",
    ]),
  .testTarget(
    name: "CommandLineTests",
    dependencies: [
      "ContractEvidence", "ContractReports", "EvidenceSamples", "SystemProcesses", "contracts",
      "harness-specimens",
    ],
    exclude: ["Planted"]),
]

let cookies: [Target] = [
  .target(name: "CookiePort", dependencies: ["SystemLocks"]),
  .target(name: "CookieFoundationAdapter", dependencies: ["CookiePort"]),
  .target(name: "CookiePublicSuffixAdapter", dependencies: ["CPSL", "CookiePort"]),
  .target(name: "CookieSQLiteAdapter", dependencies: ["CSQLite", "CookiePort", "SystemLocks"]),
  .target(name: "CookieTransportAdapter", dependencies: ["CookiePort", "TransportPort"]),
  .target(name: "CookieTestSupport", path: "Tests/Cookies/CookieTestSupport"),
  .testTarget(
    name: "CookiePortTests",
    dependencies: ["CookiePort", "ManualClocks", "SeededRandom"]),
  .testTarget(
    name: "CookieFoundationAdapterTests", dependencies: ["CookieFoundationAdapter", "CookiePort"]),
  .testTarget(
    name: "CookiePublicSuffixAdapterTests",
    dependencies: ["CookiePort", "CookiePublicSuffixAdapter", "CookieTestSupport"]),
  .testTarget(
    name: "CookieSQLiteAdapterTests",
    dependencies: [
      "CSQLite", "ContractTesting", "CookieContract", "CookiePublicSuffixAdapter",
      "CookieSQLiteAdapter", "CookieTestSupport", "CrashExploration", "ManualClocks",
      "cookie-store-writer",
    ]),
  .executableTarget(
    name: "cookie-store-writer", dependencies: ["CPlatform", "CookieSQLiteAdapter"],
    path: "Tests/Cookies/CookieStoreWriter"),
  .testTarget(
    name: "CookieTransportAdapterTests",
    dependencies: ["CookiePort", "CookieTransportAdapter", "SystemLocks", "TransportPort"]),
]

let transport: [Target] = [
  .target(name: "TransportPort", dependencies: ["SystemLocks"]),
  .target(name: "TransportDecoding", dependencies: ["CBrotli", "CZlib", "TransportPort"]),
  .target(
    name: "TransportCurlAdapter",
    dependencies: ["CCurl", "SystemLocks", "SystemPlatform", "SystemThreads", "TransportPort"]),
  .target(
    name: "TransportRecording", dependencies: ["SystemLocks", "TransportDecoding", "TransportPort"]),
  .target(
    name: "TransportTesting",
    dependencies: ["HarnessSupport", "SystemLocks", "TransportPort", "TransportRecording"]),
  .target(name: "TransportURLSessionAdapter", dependencies: ["SystemLocks", "TransportPort"]),
  .testTarget(
    name: "TransportPortTests",
    dependencies: [
      "ExplorationEngine", "InterleavingExploration", "ManualClocks", "SeededRandom", "SystemLocks",
      "TransportPort",
    ]),
  .testTarget(
    name: "TransportDecodingTests",
    dependencies: ["CZlib", "TransportDecoding", "TransportPort"]),
  .testTarget(
    name: "TransportPagesTests",
    dependencies: [
      "ContractTesting", "ManualClocks", "ScriptedOrigin", "SystemProcesses", "TransportContract",
      "TransportCurlAdapter", "TransportDecoding", "TransportPort", "TransportURLSessionAdapter",
    ]),
  .testTarget(
    name: "TransportCurlAdapterTests",
    dependencies: [
      "CCurl", "CPlatform", "ScriptedOrigin", "SeededRandom", "SystemLocks", "SystemPlatform",
      "TransportCurlAdapter", "TransportPort",
    ], exclude: testsForNewerSwift),
  .testTarget(
    name: "TransportRecordingTests",
    dependencies: [
      "ManualClocks", "ScriptedOrigin", "SeededRandom", "SystemLocks", "SystemProcesses",
      "TransportCurlAdapter", "TransportDecoding", "TransportPort", "TransportRecording",
      "contracts",
      "http-recordings",
    ], exclude: ["Samples"]),
  .testTarget(
    name: "TransportTestingTests",
    dependencies: [
      "HarnessSupport", "SystemLocks", "TransportPort", "TransportRecording", "TransportTesting",
    ],
    exclude: ["Recordings"]),
  .testTarget(
    name: "TransportURLSessionAdapterTests",
    dependencies: ["ScriptedOrigin", "TransportPort", "TransportURLSessionAdapter"]),
  .testTarget(
    name: "ScriptedOriginTests",
    dependencies: ["ScriptedOrigin", "SystemPlatform", "TransportPort"]),
]

let vendor: [Target] = [
  .target(name: "VendorSDK", dependencies: ["SystemLocks"]),
  .target(
    name: "VendorAdapters",
    dependencies: ["AnalyticsPort", "FeedbackPort", "SystemLocks", "VendorSDK"]),
  .target(name: "AnalyticsPort", dependencies: ["SystemLocks"]),
  .target(name: "CheckoutPort", dependencies: ["SystemLocks"]),
  .target(name: "FeedbackPort", dependencies: ["SystemLocks"]),
  .target(name: "PreferencesPort", dependencies: ["SystemLocks"]),
  .testTarget(name: "VendorSDKTests", dependencies: ["SystemLocks", "VendorSDK"]),
  .testTarget(
    name: "VendorAdaptersTests", dependencies: ["SystemLocks", "VendorAdapters", "VendorSDK"]),
  .testTarget(name: "AnalyticsPortTests", dependencies: ["AnalyticsPort"]),
  .testTarget(name: "CheckoutPortTests", dependencies: ["CheckoutPort", "SystemLocks"]),
  .testTarget(name: "FeedbackPortTests", dependencies: ["FeedbackPort"]),
  .testTarget(name: "PreferencesPortTests", dependencies: ["PreferencesPort"]),
]

let files: [Target] = [
  .target(name: "FilesPort", dependencies: ["SystemLocks", "SystemPlatform"]),
  .target(name: "FilesDiskAdapter", dependencies: ["FilesPort", "SystemPlatform"]),
  .target(name: "FilesFoundationAdapter", dependencies: ["FilesPort"]),
  .testTarget(name: "FilesPortTests", dependencies: ["FilesPort", "ManualClocks"]),
  .testTarget(
    name: "FilesDiskAdapterTests",
    dependencies: [
      "ContractTesting", "CrashExploration", "FilesDiskAdapter", "FilesPort", "SystemLocks",
    ]),
]

let stores: [Target] = [
  .target(name: "ExpiringStorePort", dependencies: ["SystemLocks", "SystemPlatform"]),
  .target(
    name: "ExpiringStoreSQLiteAdapter",
    dependencies: ["CSQLite", "ExpiringStorePort", "SystemLocks"]),
  .testTarget(
    name: "ExpiringStorePortTests", dependencies: ["ExpiringStorePort", "ManualClocks"]),
  .testTarget(
    name: "ExpiringStoreSQLiteAdapterTests",
    dependencies: ["CSQLite", "ExpiringStorePort", "ExpiringStoreSQLiteAdapter", "ManualClocks"]),
]

let suites: [Target] = [
  .target(
    name: "CookieContract",
    dependencies: [
      "ContractExploration", "ContractTesting", "CookiePort", "ManualClocks", "SystemLocks",
    ]),
  .target(
    name: "CookieHandlingContract",
    dependencies: ["ContractTesting", "CookiePort", "TransportPort"]),
  .target(
    name: "TransportContract",
    dependencies: [
      "ContractTesting", "ManualClocks", "ScriptedOrigin", "SystemLocks", "TransportDecoding",
      "TransportPort",
    ]),
  .target(
    name: "AnalyticsContract",
    dependencies: ["AnalyticsPort", "ContractTesting", "SystemLocks", "SystemThreads"]),
  .target(
    name: "CheckoutContract",
    dependencies: ["CheckoutPort", "ContractTesting", "SystemLocks", "SystemThreads"]),
  .target(
    name: "FeedbackContract", dependencies: ["ContractTesting", "FeedbackPort", "SystemThreads"]),
  .target(name: "PreferencesContract", dependencies: ["ContractTesting", "PreferencesPort"]),
  .target(name: "FilesContract", dependencies: ["ContractTesting", "FilesPort"]),
  .target(
    name: "ExpiringStoreContract",
    dependencies: ["ContractTesting", "ExpiringStorePort", "ManualClocks"]),
]

// What suites use and is no suite.
let support: [Target] = [
  .target(name: "CSlowNames"),
  .executableTarget(
    name: "http-recordings",
    dependencies: [
      "CommandLineSupport", "ContractEvidence", "TransportCurlAdapter", "TransportDecoding",
      "TransportPort", "TransportRecording",
    ], path: "ContractSuites/Support/HTTPRecordingsTool"),
  .target(
    name: "ScriptedOrigin",
    dependencies: [
      "CNGHTTP2", "COpenSSL", "CSlowNames", "SystemLocks", "SystemPlatform", "SystemProcesses",
      "SystemThreads", "TransportPort",
    ]),
]

// Every contract on every implementation: the one target that knows everything.
let matrix: [Target] = [
  .testTarget(
    name: "ContractTests",
    dependencies: [
      "AnalyticsContract", "AnalyticsPort", "CCurl", "CPSL", "CSQLite", "CheckoutContract",
      "CheckoutPort", "ContractEvidence", "ContractExploration", "ContractInterleavings",
      "ContractTesting", "CookieContract", "CookieFoundationAdapter",
      "DriftExploration",
      "CookieHandlingContract", "CookiePort", "CookiePublicSuffixAdapter",
      "CookieSQLiteAdapter", "CookieTransportAdapter", "FeedbackContract", "FeedbackPort",
      "ExpiringStoreContract", "ExpiringStorePort", "ExpiringStoreSQLiteAdapter",
      "FilesContract", "FilesDiskAdapter", "FilesFoundationAdapter", "FilesPort",
      "HarnessSupport", "ManualClocks", "PreferencesContract", "PreferencesPort", "ScriptedOrigin",
      "SystemLocks", "SystemPlatform", "SystemProcesses",
      "TransportContract", "TransportCurlAdapter", "TransportDecoding", "TransportPort",
      "TransportRecording", "TransportURLSessionAdapter", "VendorAdapters", "VendorSDK",
    ], path: "Tests/Contracts")
]

/// Sets the folder of each target that names none.
func house(_ name: String, _ targets: [Target], in root: String = "Sources") -> [Target] {
  for target in targets where target.path == nil {
    let root = target.type == .test ? "Tests" : root
    target.path = [root, name, target.name].filter { !$0.isEmpty }.joined(separator: "/")
  }
  return targets
}

/// A library product of one module.
func library(_ name: String) -> Product { .library(name: name, targets: [name]) }

let targets =
  house("System", system) + house("Harness", harness) + house("Cookies", cookies)
  + house("Transport", transport) + house("Vendor", vendor) + house("Files", files)
  + house("Stores", stores)
  + house("", suites, in: "ContractSuites") + house("Support", support, in: "ContractSuites")
  + matrix

let package = Package(
  name: "swift-contract-testing",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    library("ContractTesting"),
    library("ContractLiveCalls"),
    library("ContractExploration"),
    library("ContractInterleavings"),
    library("DriftExploration"),
    library("ContractEvidence"),
    library("ContractReports"),
    library("ExplorationEngine"),
    library("LockStepExploration"),
    library("LinearizabilityChecking"),
    library("FaultExploration"),
    library("InterleavingExploration"),
    library("RecordedHistories"),
    library("CrashExploration"),
    library("ServerFixtures"),
    .executable(name: "contracts", targets: ["contracts"]),

    library("ExploredSynchronization"),
    library("ManualClocks"),

    library("CookiePort"),
    library("CookieContract"),
    library("CookieHandlingContract"),
    library("CookieFoundationAdapter"),
    library("CookiePublicSuffixAdapter"),
    library("CookieSQLiteAdapter"),
    library("CookieTransportAdapter"),

    library("TransportPort"),
    library("TransportDecoding"),
    library("TransportRecording"),
    library("TransportTesting"),
    .executable(name: "http-recordings", targets: ["http-recordings"]),
    library("TransportContract"),
    library("ScriptedOrigin"),
    library("TransportCurlAdapter"),
    library("TransportURLSessionAdapter"),

    library("AnalyticsPort"),
    library("AnalyticsContract"),
    library("CheckoutPort"),
    library("CheckoutContract"),
    library("FeedbackPort"),
    library("FeedbackContract"),
    library("PreferencesPort"),
    library("PreferencesContract"),
    library("FilesPort"),
    library("FilesContract"),
    library("FilesDiskAdapter"),
    library("FilesFoundationAdapter"),
    library("ExpiringStorePort"),
    library("ExpiringStoreContract"),
    library("ExpiringStoreSQLiteAdapter"),
    library("VendorAdapters"),
    library("VendorSDK"),
  ],
  targets: targets.filter { $0.type != .test || chosenTests?.contains($0.name) ?? true },
  swiftLanguageModes: [.v6]
)
