import Foundation

/// Writes all of a text to an open file, however many calls that takes (write(2)).
///
/// - Returns: The system's error number where that failed, and `nil` where it did not.
package func writeAll(_ text: String, to descriptor: CInt) -> CInt? {
  var text = text
  return text.withUTF8 { bytes in
    var rest = UnsafeRawBufferPointer(bytes)
    while !rest.isEmpty {
      let count = write(descriptor, rest.baseAddress, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
    return nil
  }
}
