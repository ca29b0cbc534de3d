import Foundation

/// Remembers from which originals the copy's files were woven, so that a second run with the same
/// sources builds nothing.
struct WovenFiles {
  private let path: String

  init(folder: String) { path = "\(folder)/woven.json" }

  /// The woven files whose originals have not changed, with their texts.
  func current(_ scratch: ScratchPackage) -> [String: String] {
    guard let data = FileManager.default.contents(atPath: path),
      let originals = try? JSONDecoder().decode([String: String].self, from: data)
    else { return [:] }
    return originals.reduce(into: [:]) { texts, entry in
      let (file, fingerprint) = entry
      guard fingerprint == Self.fingerprint("\(scratch.original)/\(file)") || fingerprint.isEmpty,
        let text = try? String(contentsOfFile: "\(scratch.path)/\(file)", encoding: .utf8)
      else { return }
      texts[file] = text
    }
  }

  /// Remembers what was woven. A file that can't be written costs only time in the next run.
  func remember(_ modules: [MutatedModule], _ scratch: ScratchPackage) {
    var originals: [String: String] = [:]
    for module in modules {
      for file in module.files.keys {
        originals[file] = Self.fingerprint("\(scratch.original)/\(file)")
      }
      originals["\(module.folder)/\(SwitchSource.fileName)"] = ""
    }
    try? JSONEncoder().encode(originals).write(to: URL(fileURLWithPath: path))
  }

  private static func fingerprint(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8)).map(Keys.fingerprint)
  }
}
