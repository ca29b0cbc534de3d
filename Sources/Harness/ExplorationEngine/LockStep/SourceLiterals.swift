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
    mentions.forEach(add)
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
    var scanner = LiteralScanner(bytes: [UInt8](source))
    return scanner.integers()
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

/// Scans the bytes of a source file for integers.
private struct LiteralScanner {
  let bytes: [UInt8]
  private var position = 0
  private var found: [Int64] = []
  /// The literal before the current position, if a `*` may continue its product.
  private var product: Int64?

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func integers() -> [Int64] {
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skip(to: UInt8(ascii: "\n"))
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "0")...UInt8(ascii: "9"): readNumber()
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "_"):
        skipWord()
        product = nil
      case UInt8(ascii: "*"), UInt8(ascii: " "): position += 1
      default:
        position += 1
        product = nil
      }
    }
    return found
  }

  private var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

  private mutating func skip(to end: UInt8) {
    while position < bytes.count, bytes[position] != end { position += 1 }
  }

  /// Skips a string on one line. The lines of longer strings are read as code.
  private mutating func skipString() {
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""),
      bytes[position] != UInt8(ascii: "\n")
    {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
    product = nil
  }

  private mutating func skipWord() {
    while position < bytes.count, isWord(bytes[position]) { position += 1 }
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private mutating func readNumber() {
    let factor = product
    let start = position
    skipWord()
    product = nil
    // The fraction of a floating-point number is not an integer; a range such as `0...99` is two.
    if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "."),
      bytes[position + 1] >= UInt8(ascii: "0"), bytes[position + 1] <= UInt8(ascii: "9")
    {
      position += 1
      skipWord()
      return
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self).filter { $0 != "_" }
    let value =
      text.hasPrefix("0x")
      ? Int64(text.dropFirst(2), radix: 16)
      : text.hasPrefix("0b") ? Int64(text.dropFirst(2), radix: 2) : Int64(text)
    guard let value else { return }
    add(value)
    product = value
    if let factor {
      let (whole, overflow) = factor.multipliedReportingOverflow(by: value)
      if !overflow {
        add(whole)
        product = whole
      }
    }
  }

  private mutating func add(_ value: Int64) {
    if value > 16 { found.append(value) }
  }
}
