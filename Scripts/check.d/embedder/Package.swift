// swift-tools-version: 6.2
import PackageDescription

// Programs outside the package, as users of its libraries write them: they prove what the products drag in.
let package = Package(
  name: "embedder",
  dependencies: [.package(name: "footfall", path: "../../..")],
  targets: [
    .executableTarget(name: "embedder", dependencies: [.product(name: "VisitorID", package: "footfall")]),
    .executableTarget(name: "cohorly-client", dependencies: [.product(name: "Cohorly", package: "footfall")]),
    .executableTarget(name: "ahoy-client", dependencies: [.product(name: "Ahoy", package: "footfall")]),
  ]
)
