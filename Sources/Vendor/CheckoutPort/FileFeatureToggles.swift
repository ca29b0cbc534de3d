public import Foundation
import SystemLocks

/// Toggles in a file: a JSON object or a property list that maps names to Booleans.
///
/// Unknown names are ignored, so several versions of an app can use the same file.
public final class FileFeatureToggles: FeatureToggles {
  private let file: URL
  private let values: Mutex<[String: Bool]>

  /// Reads a file.
  ///
  /// - Parameter file: A property list if the extension is `plist`, otherwise JSON.
  /// - Throws: ``FeatureTogglesError`` if the file is missing or has another content.
  public init(_ file: URL) throws(FeatureTogglesError) {
    self.file = file
    values = Mutex(try Self.read(file))
  }

  /// Reads the file again. If that fails, the toggles keep their values.
  ///
  /// - Throws: ``FeatureTogglesError`` as ``init(_:)`` does.
  public func reload() throws(FeatureTogglesError) {
    let read = try Self.read(file)
    values.withLock { $0 = read }
  }

  public func isEnabled(_ toggle: FeatureToggle) -> Bool {
    values.withLock { $0[toggle.rawValue] ?? false }
  }

  private static func read(_ file: URL) throws(FeatureTogglesError) -> [String: Bool] {
    do {
      let data = try Data(contentsOf: file)
      return file.pathExtension == "plist"
        ? try PropertyListDecoder().decode([String: Bool].self, from: data)
        : try JSONDecoder().decode([String: Bool].self, from: data)
    } catch let error as DecodingError {
      throw FeatureTogglesError(
        source: file.path, problem: "the file must map names to true or false (\(error))")
    } catch {
      throw FeatureTogglesError(source: file.path, problem: "\(error)")
    }
  }
}
