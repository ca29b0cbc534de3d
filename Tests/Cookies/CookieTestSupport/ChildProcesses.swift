package import Foundation

/// Returns the URL of an executable of this package.
///
/// - Parameters:
///   - name: The executable's name.
///   - type: A class of the test target, whose bundle is in the products directory.
package func productExecutable(_ name: String, builtWith type: AnyClass) -> URL {
  // On Linux the bundle is the products directory; on other platforms it is inside it.
  let bundle = Bundle(for: type).bundleURL
  let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
  return products.appending(path: name)
}

/// Runs a blocking closure on a separate thread.
///
/// Tasks must not block the threads of the cooperative pool, because other tasks need them.
package func onSeparateThread<Result: Sendable>(
  _ body: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    Thread { continuation.resume(returning: body()) }.start()
  }
}
