import Foundation
import SystemLocks
import SystemPlatform

/// Finds the integer literals of the source files that concern an exploration.
///
/// A bug at one value of many is often named in the code: a limit, a size, a sentinel. So these
/// values are drawn more often. The files are those of the test's package that mention the
/// subject's type or the specification's, and the test's file itself. Without the sources, there
/// are no literals.
enum SourceLiterals {
  /// The most literals; more would make each of them rare.
  private static let limit = 64
  /// The most bytes to read of a package.
  private static let byteLimit = 64 << 20

  /// The result of an earlier search, by the file and the words.
  private static let known = Mutex<[String: [Int64]]>([:])

  /// The files of each package; to list them takes as long as to search them.
  private static let packages = Mutex<[String: [String]]>([:])

  /// Returns the literals above 16: first those of the test's file, then those of files that
  /// declare one of the types.
  ///
  /// - Parameters:
  ///   - file: The path of the test's file.
  ///   - words: The names of the types.
  static func literals(concerning words: [String], at file: String) -> [Int64] {
    let key = ([file] + words).joined(separator: "\n")
    if let known = known.withLock({ $0[key] }) { return known }
    var found: [Int64] = []
    var seen: Set<Int64> = []
    let add = { (data: Data) in
      for literal in integers(in: data) where seen.insert(literal).inserted {
        if found.count < limit { found.append(literal) }
      }
    }
    if let data = FileManager.default.contents(atPath: file) { add(data) }
    var mentions: [Data] = []
    for other in sources(ofPackageWith: file) where other != file && found.count < limit {
      guard let data = FileManager.default.contents(atPath: other) else { continue }
      // Few files contain a word, and a search is the greatest part of the work.
      let contained = words.filter { data.contains($0) }
      if contained.contains(where: { declares($0, data) }) {
        add(data)
      } else if !contained.isEmpty {
        mentions.append(data)
      }
    }
    for data in mentions where found.count < limit { add(data) }
    known.withLock { $0[key] = found }
    return found
  }

  private static func declares(_ word: String, _ source: Data) -> Bool {
    ["struct", "class", "actor", "enum", "protocol"].contains {
      source.contains("\($0) \(word)")
    }
  }

  /// The Swift files of the package that contains a file, sorted by path.
  private static func sources(ofPackageWith file: String) -> [String] {
    let files = FileManager.default
    var folder = URL(filePath: file).deletingLastPathComponent()
    while !files.fileExists(atPath: folder.appending(path: "Package.swift").path) {
      guard folder.path.count > 1 else { return [] }
      folder.deleteLastPathComponent()
    }
    if let known = packages.withLock({ $0[folder.path] }) { return known }
    let found = sources(in: folder)
    packages.withLock { $0[folder.path] = found }
    return found
  }

  private static func sources(in folder: URL) -> [String] {
    let files = FileManager.default
    guard let all = files.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey]) else {
      return []
    }
    var paths: [String] = []
    var bytes = 0
    for case let url as URL in all {
      if url.lastPathComponent.hasPrefix(".") || url.lastPathComponent == "node_modules" {
        all.skipDescendants()
      } else if url.pathExtension == "swift" {
        bytes += (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0
        guard bytes < byteLimit else { break }
        paths.append(url.path)
      }
    }
    return paths.sorted()
  }

  /// The integer literals in Swift source, and the products of those that are multiplied.
  ///
  /// Comments and the text of strings are skipped, as far as that needs no parser.
  static func integers(in source: Data) -> [Int64] {
    var found: [Int64] = []
    // The literal before the token, which a `*` may continue.
    var product: Int64?
    let tokens =
      /\/\/[^\n]*|"(?:\\.|[^"\\\n])*"?|[A-Za-z0-9_]+(?:\.[0-9][A-Za-z0-9_]*)?|[^\sA-Za-z0-9_]/
    for token in String(decoding: source, as: UTF8.self).matches(of: tokens) {
      if token.output == "*" { continue }
      let value = integer(token.output)
      if let value { found.append(value) }
      if let factor = product, let value {
        let (whole, overflow) = factor.multipliedReportingOverflow(by: value)
        if !overflow { found.append(whole) }
        product = overflow ? value : whole
      } else {
        product = value
      }
    }
    return found.filter { $0 > 16 }
  }

  private static func integer(_ token: Substring) -> Int64? {
    guard token.first?.isNumber == true else { return nil }
    let digits = token.filter { $0 != "_" }
    if digits.hasPrefix("0x") { return Int64(digits.dropFirst(2), radix: 16) }
    return digits.hasPrefix("0b") ? Int64(digits.dropFirst(2), radix: 2) : Int64(digits)
  }
}

extension Data {
  /// Whether the bytes contain those of a text.
  fileprivate func contains(_ text: String) -> Bool {
    var text = text
    return withUnsafeBytes { bytes in
      text.withUTF8 { bytes.contains(UnsafeRawBufferPointer($0)) }
    }
  }
}
