import Foundation
import HarnessSupport

/// A source file, divided into declarations and what surrounds them.
struct SourceFile: Sendable {
  /// The digest of each declaration, by the line and column where it starts.
  let declarations: [Position: String]

  /// The digest of the file without the declarations. White space counts as one space, so that another
  /// declaration changes nothing here.
  let surroundings: String

  /// Where Swift says that a call is: at its arguments, from 1. Columns count UTF-8 bytes.
  struct Position: Hashable, Sendable {
    var line: Int
    var column: Int
  }

  /// Divides a file.
  ///
  /// If a declaration's end is not certain, the file is not divided: the whole file surrounds each
  /// declaration, so that every change in it concerns all of them.
  /// - Parameters:
  ///   - data: The file.
  ///   - starts: Where calls declare something.
  init(_ data: Data, declaring starts: Set<Position>) {
    let text = Array(data)
    guard let regions = Self.regions(in: text, starts) else {
      declarations = Dictionary(uniqueKeysWithValues: starts.map { ($0, "") })
      surroundings = Fingerprint.hexadecimal(of: text)
      return
    }
    declarations = Dictionary(
      uniqueKeysWithValues: regions.map {
        ($0.position, Fingerprint.hexadecimal(of: text[$0.range]))
      })
    surroundings = Fingerprint.hexadecimal(of: Self.rest(of: text, without: regions.map(\.range)))
  }

  private typealias Region = (position: Position, range: Range<Int>)

  /// The declarations in order, or `nil` if one is not where it should be or reaches into another.
  private static func regions(in text: [UInt8], _ starts: Set<Position>) -> [Region]? {
    var lines = [0]
    for (offset, byte) in text.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(offset + 1)
    }
    var regions: [Region] = []
    for position in starts {
      guard position.line > 0, position.line <= lines.count, position.column > 0 else { return nil }
      let start = lines[position.line - 1] + position.column - 1
      guard start < text.count, let end = CallScanner.end(ofCallAt: start, in: text) else {
        return nil
      }
      regions.append((position, CallScanner.start(ofCallAt: start, in: text)..<end))
    }
    regions.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (one, next) in zip(regions, regions.dropFirst())
    where one.range.upperBound > next.range.lowerBound { return nil }
    return regions
  }

  private static func rest(of text: [UInt8], without regions: [Range<Int>]) -> [UInt8] {
    var rest: [UInt8] = []
    var start = 0
    for end in regions.map(\.lowerBound) + [text.count] {
      for byte in text[start..<end] {
        let isSpace = byte == 0x20 || 0x09...0x0d ~= byte
        if !isSpace { rest.append(byte) } else if rest.last != 0x20 { rest.append(0x20) }
      }
      start = regions.first { $0.lowerBound == end }?.upperBound ?? end
    }
    return rest
  }
}
