import Foundation

/// Decompresses the field blocks of one connection with libcurl's libnghttp2.
///
/// libcurl with HTTP/2 has loaded that library, so its functions are looked up and not linked.
///
/// Source: RFC 7541, and nghttp2/nghttp2.h, whose types are part of its stable interface.
final class HPACKDecoder {
  typealias Field = (name: [UInt8], value: [UInt8])

  /// `nghttp2_nv`.
  private struct Pair {
    var name: UnsafePointer<UInt8>?
    var value: UnsafePointer<UInt8>?
    var nameCount = 0
    var valueCount = 0
    var flags: UInt8 = 0
  }

  private typealias Make = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  private typealias Inflate =
    @convention(c) (
      OpaquePointer, UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>, UnsafePointer<UInt8>?,
      Int, Int32
    ) -> Int
  private typealias End = @convention(c) (OpaquePointer) -> Int32

  private let inflater: OpaquePointer
  private let inflate: Inflate
  private let endBlock: End
  private let delete: @convention(c) (OpaquePointer) -> Void

  /// Returns `nil` if the process has no libnghttp2.
  init?() {
    guard let process = dlopen(nil, RTLD_LAZY), let make = dlsym(process, "nghttp2_hd_inflate_new"),
      let inflate = dlsym(process, "nghttp2_hd_inflate_hd2"),
      let endBlock = dlsym(process, "nghttp2_hd_inflate_end_headers"),
      let delete = dlsym(process, "nghttp2_hd_inflate_del")
    else { return nil }
    var inflater: OpaquePointer?
    _ = unsafeBitCast(make, to: Make.self)(&inflater)
    guard let inflater else { return nil }
    self.inflater = inflater
    self.inflate = unsafeBitCast(inflate, to: Inflate.self)
    self.endBlock = unsafeBitCast(endBlock, to: End.self)
    self.delete = unsafeBitCast(delete, to: (@convention(c) (OpaquePointer) -> Void).self)
  }

  deinit { delete(inflater) }

  /// Decompresses a complete block; `nil` if it is invalid, after which no other block can be read.
  func decode(_ block: [UInt8]) -> [Field]? {
    block.withUnsafeBufferPointer { block in
      var fields: [Field] = []
      var offset = 0
      while true {
        var (pair, flags) = (Pair(), Int32(0))
        let count = withUnsafeMutableBytes(of: &pair) { pair -> Int in
          guard let pair = pair.baseAddress else { return -1 }
          return inflate(
            inflater, pair, &flags, block.baseAddress.map { $0 + offset }, block.count - offset, 1)
        }
        guard count >= 0 else { return nil }
        offset += count
        // NGHTTP2_HD_INFLATE_EMIT and NGHTTP2_HD_INFLATE_FINAL.
        if flags & 2 != 0 {
          fields.append(
            (
              Array(UnsafeBufferPointer(start: pair.name, count: pair.nameCount)),
              Array(UnsafeBufferPointer(start: pair.value, count: pair.valueCount))
            ))
        }
        if flags & 1 != 0 {
          _ = endBlock(inflater)
          return fields
        }
        if flags & 2 == 0, offset == block.count { return nil }
      }
    }
  }
}
