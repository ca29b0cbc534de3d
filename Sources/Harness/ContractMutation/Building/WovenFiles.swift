import Foundation

/// Remembers from which originals the copy's files were woven, so that a second run with the same
/// sources builds nothing.
///
/// Only files of the modules that a run mutates may stay woven. Each run numbers its mutants from 1, so
/// the number that switches one of them on would switch on one of an earlier run's too.
struct WovenFiles {
  /// The fingerprints of the originals by file, by module.
  private typealias Record = [String: [String: String]]

  private let path: String

  init(folder: String) { path = "\(folder)/woven.json" }

  /// The woven files of modules whose originals have not changed, with their texts.
  func current(_ scratch: ScratchPackage, of modules: [String]) -> [String: String] {
    guard let data = FileManager.default.contents(atPath: path),
      let record = try? JSONDecoder().decode(Record.self, from: data)
    else { return [:] }
    return modules.flatMap { record[$0] ?? [:] }.reduce(into: [:]) { texts, entry in
      let (file, fingerprint) = entry
      guard fingerprint == Self.fingerprint("\(scratch.original)/\(file)") || fingerprint.isEmpty,
        let text = try? String(contentsOfFile: "\(scratch.path)/\(file)", encoding: .utf8)
      else { return }
      texts[file] = text
    }
  }

  /// Remembers what was woven. A file that can't be written costs only time in the next run.
  func remember(_ modules: [MutatedModule], _ scratch: ScratchPackage) {
    var record: Record = [:]
    for module in modules {
      var originals = ["\(module.folder)/\(SwitchSource.fileName)": ""]
      for file in module.files.keys {
        originals[file] = Self.fingerprint("\(scratch.original)/\(file)")
      }
      record[module.build.name] = originals
    }
    try? JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path))
  }

  private static func fingerprint(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8)).map(Keys.fingerprint)
  }
}
