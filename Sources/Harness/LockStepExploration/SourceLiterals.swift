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
    var bytes = 0
    for other in sources(ofPackageWith: file)
    where other != file && found.count < limit && bytes < byteLimit {
      guard let data = FileManager.default.contents(atPath: other) else { continue }
      bytes += data.count
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
    // Explorations that start at the same time wait for the first one's list.
    return packages.withLock { packages in
      if let known = packages[folder.path] { return known }
      let found = sources(in: folder)
      packages[folder.path] = found
      return found
    }
  }

  private static func sources(in folder: URL) -> [String] {
    let files = FileManager.default
    guard let all = files.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
    var paths: [String] = []
    for case let url as URL in all {
      if url.lastPathComponent.hasPrefix(".") || url.lastPathComponent == "node_modules" {
        all.skipDescendants()
      } else if url.pathExtension == "swift" {
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
    // Bytes, because a regular expression takes four times as long without optimization.
    source.withUnsafeBytes { bytes in
      var index = 0
      while let token = token(in: bytes, from: &index) {
        if token.count == 1, token.first == UInt8(ascii: "*") { continue }
        let value = integer(token)
        if let value { found.append(value) }
        if let factor = product, let value {
          let (whole, overflow) = factor.multipliedReportingOverflow(by: value)
          if !overflow { found.append(whole) }
          product = overflow ? value : whole
        } else {
          product = value
        }
      }
    }
    return found.filter { $0 > 16 }
  }

  /// Takes the next comment, string, word, number or other byte.
  private static func token(
    in bytes: UnsafeRawBufferPointer, from index: inout Int
  ) -> UnsafeRawBufferPointer.SubSequence? {
    let end = bytes.count
    while index < end, isSpace(bytes[index]) { index += 1 }
    guard index < end else { return nil }
    let start = index
    let first = bytes[index]
    index += 1
    if first == UInt8(ascii: "/"), index < end, bytes[index] == UInt8(ascii: "/") {
      while index < end, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    } else if first == UInt8(ascii: "\"") {
      while index < end, bytes[index] != UInt8(ascii: "\n") {
        let byte = bytes[index]
        index = min(index + (byte == UInt8(ascii: "\\") ? 2 : 1), end)
        if byte == UInt8(ascii: "\"") { break }
      }
    } else if isWord(first) {
      while index < end, isWord(bytes[index]) { index += 1 }
      // A fraction.
      if index + 1 < end, bytes[index] == UInt8(ascii: "."), isDigit(bytes[index + 1]) {
        index += 1
        while index < end, isWord(bytes[index]) { index += 1 }
      }
    }
    return bytes[start..<index]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || 0x09...0x0d ~= byte
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    default: isDigit(byte)
    }
  }

  private static func integer(_ token: UnsafeRawBufferPointer.SubSequence) -> Int64? {
    guard let first = token.first, isDigit(first) else { return nil }
    let digits = String(decoding: token, as: UTF8.self).filter { $0 != "_" }
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
