import Foundation
import SystemLocks
import SystemPlatform

/// The functions and the lines of source code to which addresses in this process belong.
///
/// The symbols and the debug information of the images have them, and a tool reads these:
/// `llvm-symbolizer`, which is part of Swift's toolchain, or `addr2line`. That takes about 0.1 s,
/// so it is done once for all addresses of a trace, and what is found is kept. Without a tool
/// there are only the functions that an image exports.
package struct CodePlaces {
  private struct Place {
    var symbol: String
    /// A line such as `Account.swift:20`.
    var line: String?
  }

  /// What has been found, by the image and the address in its file: another image may be loaded at the same address.
  private static let found = Mutex<[String: [UInt: Place]]>([:])

  private var places: [UInt: Place] = [:]

  /// Creates an empty collection.
  package init() {}

  /// Looks up addresses.
  package init(of addresses: some Sequence<UInt>) {
    var images: [String: [(address: UInt, offset: UInt)]] = [:]
    for address in Set(addresses).sorted() {
      guard let (path, offset) = Self.offset(of: address) else { continue }
      images[path, default: []].append((address, offset))
    }
    for (path, addresses) in images {
      let known = Self.found.withLock { $0[path] } ?? [:]
      let unknown = addresses.map(\.offset).filter { known[$0] == nil }
      let new = Dictionary(zip(unknown, Self.places(at: unknown, in: path))) { first, _ in first }
      Self.found.withLock { $0[path, default: [:]].merge(new) { first, _ in first } }
      for (address, offset) in addresses { places[address] = known[offset] ?? new[offset] }
    }
  }

  /// The name of a function such as `Account.withdraw`, or `nil` if it is unknown.
  package func function(at address: UInt) -> String? {
    if let symbol = places[address]?.symbol, let name = FunctionName.of(symbol: symbol) {
      return name
    }
    return symbolName(at: address).flatMap { FunctionName.of(symbol: $0) }
  }

  /// A line such as `Account.swift:20`, or `nil` if it is unknown.
  package func line(at address: UInt) -> String? { places[address]?.line }

  /// The image that contains an address, and the address in the image's file.
  ///
  /// Source: elf(5), `e_type`.
  private static func offset(of address: UInt) -> (path: String, offset: UInt)? {
    guard let (name, base) = image(containing: address),
      base.loadUnaligned(as: UInt32.self) == UInt32(bigEndian: 0x7f45_4c46)
    else { return nil }
    // The addresses of a program that cannot be moved (ET_EXEC, 2) are those in its file.
    let isFixed = base.loadUnaligned(fromByteOffset: 16, as: UInt16.self) == 2
    // The program is named as it was started, perhaps from another folder.
    let path = name.hasPrefix("/") ? name : Bundle.main.executablePath ?? name
    return (path, isFixed ? address : address - UInt(bitPattern: base))
  }

  /// Runs a tool. Both print two lines for an address: its function and its line.
  private static func places(at offsets: [UInt], in path: String) -> [Place] {
    guard !offsets.isEmpty else { return [] }
    let file = "'" + path.replacing("'", with: #"'\''"#) + "'"
    let addresses = offsets.map { "0x" + String($0, radix: 16) }.joined(separator: " ")
    // Debug information is not downloaded, and the time is limited.
    let command = """
      ulimit -t 20; export DEBUGINFOD_URLS=
      { llvm-symbolizer --functions=linkage --no-inlines -e \(file) \(addresses) ||
      addr2line -f -e \(file) \(addresses); } 2>/dev/null </dev/null
      """
    guard let stream = popen(command, "r") else { return [] }
    var text = ""
    var buffer = [CChar](repeating: 0, count: 4_096)
    while fgets(&buffer, Int32(buffer.count), stream) != nil {
      text += buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }
    guard pclose(stream) == 0 else { return [] }
    let lines = text.split(separator: "\n")
    guard lines.count == 2 * offsets.count else { return [] }
    return offsets.indices.map {
      Place(symbol: String(lines[2 * $0]), line: shortened(lines[2 * $0 + 1]))
    }
  }

  /// The file's name and the line, or `nil` for code that the compiler has added.
  package static func shortened(_ line: Substring) -> String? {
    let parts = line.split(separator: "/").last?.split(separator: ":")
    guard let parts, parts.count > 1, let file = parts.first, file.hasSuffix(".swift"),
      !file.hasPrefix("@"), let number = Int(parts[1].prefix { $0.isNumber }), number > 0
    else { return nil }
    return "\(file):\(number)"
  }
}
