import CTally
public import Foundation
public import TallyPort

/// A tally in a file.
public final class FileTally: Tally {
  private let file: URL

  public init(_ file: URL) { self.file = file }

  public func count() throws -> Bool {
    let value = try total()
    guard value < Limits.most else { return false }
    try Data((String(c_tally_next(Int32(value))) + Self.unit).utf8).write(to: file)
    return true
  }

  public func total() throws -> Int {
    guard let data = try? Data(contentsOf: file) else { return 0 }
    return Int(String(decoding: data.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
  }

  /// What is written after the number.
  private static let unit = Bundle.module.url(forResource: "Unit", withExtension: "txt")
    .flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? " "
}
