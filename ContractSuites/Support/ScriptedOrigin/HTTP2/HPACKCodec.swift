import CNGHTTP2

/// A header or trailer field of HTTP/2, as the bytes of its name and value.
struct HTTP2Field: Hashable {
  var name: [UInt8]
  var value: [UInt8]
}

/// Encodes and decodes the field blocks of one connection with libnghttp2's HPACK.
///
/// Both directions have a table that each block changes, so the caller encodes blocks in the order
/// in which it sends them and decodes all of them in the order in which they arrived. libnghttp2
/// does not validate names or values, so a script can send fields that HTTP/2 forbids.
///
/// Source: RFC 7541.
final class HPACKCodec {
  /// A field block that breaks RFC 7541, or libnghttp2 ran out of memory.
  struct Failure: Error {}

  private var deflater: OpaquePointer?
  private var inflater: OpaquePointer?

  init() {
    // 4,096 bytes is the table size until SETTINGS_HEADER_TABLE_SIZE changes it (RFC 9113 §6.5.2).
    nghttp2_hd_deflate_new(&deflater, 4096)
    nghttp2_hd_inflate_new(&inflater)
  }

  deinit {
    nghttp2_hd_deflate_del(deflater)
    nghttp2_hd_inflate_del(inflater)
  }

  /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE; libnghttp2 never uses more than 4,096 bytes.
  func setEncoderTableSize(_ size: Int) {
    if let deflater { nghttp2_hd_deflate_change_table_size(deflater, size) }
  }

  /// Encodes one field block.
  func encode(_ fields: [HTTP2Field]) throws(Failure) -> [UInt8] {
    guard let deflater else { throw Failure() }
    // libnghttp2 takes pointers to each name and value, so they are laid out in one buffer that
    // does not move. The extra byte gives the buffer an address if every field is empty.
    var storage: [UInt8] = fields.flatMap { $0.name + $0.value }
    storage.append(0)
    let block = storage.withUnsafeMutableBufferPointer { storage -> [UInt8]? in
      guard var position = storage.baseAddress else { return nil }
      var pairs: [nghttp2_nv] = []
      for field in fields {
        let value = position + field.name.count
        pairs.append(
          nghttp2_nv(
            name: position, value: value, namelen: field.name.count, valuelen: field.value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
        position = value + field.value.count
      }
      var block = [UInt8](
        repeating: 0, count: nghttp2_hd_deflate_bound(deflater, pairs, pairs.count))
      let count = nghttp2_hd_deflate_hd(deflater, &block, block.count, &pairs, pairs.count)
      return count < 0 ? nil : Array(block.prefix(count))
    }
    guard let block else { throw Failure() }
    return block
  }

  /// Decodes one complete field block.
  ///
  /// - Throws: ``Failure``, after which libnghttp2 can't decode any further block.
  func decode(_ block: [UInt8]) throws(Failure) -> [HTTP2Field] {
    guard let inflater else { throw Failure() }
    let fields = block.withUnsafeBufferPointer { block -> [HTTP2Field]? in
      var fields: [HTTP2Field] = []
      var offset = 0
      while true {
        var (pair, flags) = (nghttp2_nv(), Int32(0))
        let count = nghttp2_hd_inflate_hd2(
          inflater, &pair, &flags, block.baseAddress.map { $0 + offset }, block.count - offset, 1)
        guard count >= 0 else { return nil }
        offset += count
        let isField = flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0
        if isField {
          // The pointers are valid only until the next call.
          fields.append(
            HTTP2Field(
              name: Array(UnsafeBufferPointer(start: pair.name, count: pair.namelen)),
              value: Array(UnsafeBufferPointer(start: pair.value, count: pair.valuelen))))
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          nghttp2_hd_inflate_end_headers(inflater)
          return fields
        }
        if !isField, offset == block.count { return nil }
      }
    }
    guard let fields else { throw Failure() }
    return fields
  }
}
