public import Foundation
import SystemLocks

/// Toggles in a file: a JSON object or a property list, from names to Booleans.
///
/// Names that are no toggle's are ignored, so that one file serves several versions of an app.
public final class FileFeatureToggles: FeatureToggles {
  private let file: URL
  private let values: Mutex<[String: Bool]>

  /// Reads a file.
  ///
  /// - Parameter file: The file; a property list where its name ends in `.plist`, else JSON.
  /// - Throws: ``FeatureTogglesError`` for a file that is missing or holds something else.
  public init(_ file: URL) throws(FeatureTogglesError) {
    self.file = file
    values = Mutex(try Self.read(file))
  }

  /// Reads the file again; where that fails, the toggles stay as they are.
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
        source: file.path, problem: "it must map names to true or false (\(error))")
    } catch {
      throw FeatureTogglesError(source: file.path, problem: "\(error)")
    }
  }
}
