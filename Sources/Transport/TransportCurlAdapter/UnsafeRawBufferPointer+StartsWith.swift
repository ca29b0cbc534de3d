import Foundation

extension UnsafeRawBufferPointer {
  /// Whether the memory begins with a text.
  func starts(with text: StaticString) -> Bool {
    starts(with: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Whether the memory begins with the bytes of another.
  func starts(with other: UnsafeRawBufferPointer) -> Bool {
    guard other.count <= count else { return false }
    guard let start = baseAddress, let prefix = other.baseAddress else { return other.isEmpty }
    return memcmp(start, prefix, other.count) == 0
  }
}
