import Foundation

/// A file that the compiler reads, with a date that tells its contents from the earlier ones.
///
/// The compiler's driver compares the dates of its inputs in whole seconds (Swift 6.3.1). A file that changes
/// twice within one is not compiled again: the woven one, for example, shortly after the original.
enum BuildInput {
  /// Writes a file, unless it has these contents already.
  static func write(_ data: Data, to path: String) throws {
    let files = FileManager.default
    if files.contents(atPath: path) == data { return }
    let earlier = try? files.attributesOfItem(atPath: path)
    try? files.removeItem(atPath: path)
    try files.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try data.write(to: URL(fileURLWithPath: path))
    let date = (earlier?[.modificationDate] as? Date)?.addingTimeInterval(2)
    try files.setAttributes(
      [.modificationDate: max(date ?? .distantPast, Date())], ofItemAtPath: path)
  }
}
