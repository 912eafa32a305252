// swift-tools-version: 6.2
import PackageDescription

// A program outside the package, as a user of the library writes it: it proves what the product drags in.
let package = Package(
  name: "embedder",
  dependencies: [.package(name: "footfall", path: "../../..")],
  targets: [
    .executableTarget(name: "embedder", dependencies: [.product(name: "VisitorID", package: "footfall")])
  ]
)
