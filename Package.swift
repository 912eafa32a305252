// swift-tools-version: 6.2
import PackageDescription

// The module list is the architecture: every arrow goes to a strictly lower row.
// `Scripts/check` holds this file to the rows named here and refuses I/O in the pure ones.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// Pure targets that handle no pointer at all: the compiler proves it.
let pure = strict + [.strictMemorySafety()]

/// Targets on the path of every byte. Exclusivity is still checked statically, and dynamically in
/// debug builds and so in the tests; the dynamic checks cost a quarter of the user instructions.
let hot = strict + [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))]

/// The fuzzer needs the engine that `-sanitize=fuzzer` links: it exists for `Scripts/fuzz` only.
let fuzzing: [Target] =
  Context.environment["FOOTFALL_FUZZ"] == nil
  ? []
  : [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
    .executableTarget(
      name: "fuzz", dependencies: ["Properties", "CLibFuzzer"], path: "Tests/Fuzz/Driver",
      swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
  ]

let package = Package(
  name: "footfall",
  products: [
    .executable(name: "footfall", targets: ["footfall"]),
    .library(name: "Ahoy", type: .static, targets: ["Ahoy", "Storage"]),
    .library(name: "Cohorly", type: .static, targets: ["Cohorly", "Storage"]),
    .library(name: "VisitorID", type: .static, targets: ["VisitorID", "RuleEngines", "Storage"]),
  ],
  targets: [
    // Row 0: vocabulary
    .target(name: "Effects", swiftSettings: pure),
    .target(name: "HTTPWire", swiftSettings: strict),
    // Row 1
    .target(name: "URLRules", dependencies: ["HTTPWire", "Effects"], swiftSettings: strict),
    .target(name: "EventPipeline", dependencies: ["Effects"], swiftSettings: pure),
    .target(name: "AhoyTracker", dependencies: ["Effects"], swiftSettings: pure),
    // Row 2
    .target(name: "VisitorID", dependencies: ["URLRules", "HTTPWire", "Effects"], swiftSettings: pure),
    .target(name: "ProxyCore", dependencies: ["URLRules", "HTTPWire", "Effects"], swiftSettings: hot),
    .target(name: "CohorlyTracker", dependencies: ["EventPipeline", "Effects"], swiftSettings: pure),
    .target(name: "AdminAPI", dependencies: ["HTTPWire", "Effects"], swiftSettings: pure),
    // Row 3
    .target(
      name: "ProxyConfiguration",
      dependencies: ["AhoyTracker", "VisitorID", "URLRules", "ProxyCore", "HTTPWire", "Effects"],
      swiftSettings: pure),
    .target(
      name: "Recording",
      dependencies: ["ProxyCore", "AhoyTracker", "CohorlyTracker", "EventPipeline", "HTTPWire", "Effects"],
      swiftSettings: strict),
    // Row 4: C, by module map and inline shim
    .systemLibrary(name: "CLibevent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CIDN2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
    .target(name: "CLinux", linkerSettings: [.linkedLibrary("crypt")]),
    // Row 5: the only owners of C and of threads
    .target(name: "LoopRuntime", dependencies: ["CLibevent", "CLinux", "Effects"], swiftSettings: hot),
    .target(name: "TLSEngine", dependencies: ["COpenSSL"], swiftSettings: hot),
    .target(name: "Storage", dependencies: ["CSQLite", "Effects"], swiftSettings: strict),
    // What both client libraries need of Foundation; nothing else may.
    .target(name: "ClientFoundation", swiftSettings: strict),
    .target(name: "RuleEngines", dependencies: ["CPCRE2", "CIDN2", "URLRules", "Effects"], swiftSettings: strict),
    // Row 6: where sockets meet decisions
    .target(
      name: "ProxyServer", dependencies: ["LoopRuntime", "ProxyCore", "URLRules", "HTTPWire", "Effects"],
      swiftSettings: hot),
    .target(
      name: "AdminServer", dependencies: ["LoopRuntime", "AdminAPI", "HTTPWire", "Effects"], swiftSettings: strict),
    // The client libraries. They alone use Foundation, whose types their users speak; the proxy does not contain them.
    .target(
      name: "Ahoy", dependencies: ["AhoyTracker", "ClientFoundation", "Storage", "Effects"], swiftSettings: strict),
    .target(
      name: "Cohorly", dependencies: ["CohorlyTracker", "EventPipeline", "ClientFoundation", "Storage", "Effects"],
      swiftSettings: strict),
    .target(
      name: "OutboundHTTP", dependencies: ["LoopRuntime", "TLSEngine", "ProxyCore", "HTTPWire", "Effects"],
      swiftSettings: strict),
    // Row 7: the composition root
    .target(
      name: "FootfallApp",
      dependencies: [
        "ProxyServer", "AdminServer", "OutboundHTTP", "LoopRuntime", "Storage", "RuleEngines", "ProxyConfiguration",
        "Recording", "ProxyCore", "AdminAPI", "VisitorID", "URLRules", "AhoyTracker", "CohorlyTracker", "EventPipeline",
        "HTTPWire", "Effects",
      ],
      swiftSettings: strict),
    // Row 8
    .executableTarget(name: "footfall", dependencies: ["FootfallApp"], swiftSettings: strict),

    // Tests: one target per target, and the kit they share
    .target(name: "TestKit", dependencies: ["Effects"], path: "Tests/TestKit", swiftSettings: strict),
    // Certificates and TLS servers, apart because few tests need them.
    .target(name: "CertificateKit", path: "Tests/CertificateKit", swiftSettings: strict),
    // What must hold for any bytes: looked for by the fuzzer, replayed with its seeds by an ordinary test.
    .target(
      name: "Properties",
      dependencies: [
        "AdminServer", "OutboundHTTP", "LoopRuntime", "TLSEngine", "Storage", "RuleEngines", "ProxyConfiguration",
        "AdminAPI", "URLRules", "HTTPWire",
        "Effects", "TestKit",
      ],
      path: "Tests/Properties", swiftSettings: strict),
    .testTarget(name: "PropertiesTests", dependencies: ["Properties", "TestKit"], swiftSettings: strict),
    // Reads streams of requests for the comparison with other parsers.
    .executableTarget(
      name: "wire-reader", dependencies: ["HTTPWire"], path: "Tests/Differential/WireReader", swiftSettings: strict),
    .testTarget(name: "EffectsTests", dependencies: ["Effects", "TestKit"], swiftSettings: strict),
    .testTarget(name: "HTTPWireTests", dependencies: ["HTTPWire", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "URLRulesTests", dependencies: ["URLRules", "RuleEngines", "HTTPWire", "Effects", "TestKit"],
      resources: [.copy("Vectors")], swiftSettings: strict),
    .testTarget(name: "AhoyTrackerTests", dependencies: ["AhoyTracker", "Effects", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "CohorlyTrackerTests", dependencies: ["CohorlyTracker", "EventPipeline", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "CohorlyTests",
      dependencies: ["Cohorly", "CohorlyTracker", "EventPipeline", "Storage", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "ClientFoundationTests", dependencies: ["ClientFoundation", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "AhoyTests", dependencies: ["Ahoy", "AhoyTracker", "Storage", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "EventPipelineTests", dependencies: ["EventPipeline", "Storage", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "VisitorIDTests", dependencies: ["VisitorID", "URLRules", "RuleEngines", "Storage", "Effects", "TestKit"],
      resources: [.copy("Vectors")], swiftSettings: strict),
    .testTarget(
      name: "ProxyCoreTests", dependencies: ["ProxyCore", "URLRules", "RuleEngines", "HTTPWire", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "AdminAPITests", dependencies: ["AdminAPI", "HTTPWire", "Effects", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "ProxyConfigurationTests",
      dependencies: ["ProxyConfiguration", "RuleEngines", "VisitorID", "URLRules", "ProxyCore", "Effects", "TestKit"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "RecordingTests",
      dependencies: [
        "Recording", "AhoyTracker", "CohorlyTracker", "EventPipeline", "ProxyCore", "RuleEngines", "URLRules",
        "HTTPWire",
        "Effects", "TestKit",
      ],
      swiftSettings: strict),
    .testTarget(name: "LoopRuntimeTests", dependencies: ["LoopRuntime", "Effects", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "TLSEngineTests", dependencies: ["TLSEngine", "CertificateKit", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "StorageTests", dependencies: ["Storage", "CSQLite", "Effects", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "RuleEnginesTests", dependencies: ["RuleEngines", "URLRules", "Effects", "TestKit"], swiftSettings: strict),
    .testTarget(
      name: "ProxyServerTests",
      dependencies: [
        "ProxyServer", "LoopRuntime", "ProxyCore", "RuleEngines", "URLRules", "HTTPWire", "Effects", "TestKit",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AdminServerTests", dependencies: ["AdminServer", "AdminAPI", "LoopRuntime", "Effects", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "OutboundHTTPTests",
      dependencies: ["OutboundHTTP", "LoopRuntime", "HTTPWire", "Effects", "CertificateKit", "TestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "FootfallAppTests",
      dependencies: [
        // The executable, so that it is built: tests of the running proxy start it.
        "footfall", "FootfallApp", "ProxyServer", "AdminServer", "LoopRuntime", "Storage", "RuleEngines", "Recording",
        "ProxyConfiguration", "ProxyCore", "AdminAPI", "VisitorID", "CohorlyTracker", "AhoyTracker", "URLRules",
        "HTTPWire", "Effects", "TestKit",
      ],
      swiftSettings: strict),
  ] + fuzzing
)
