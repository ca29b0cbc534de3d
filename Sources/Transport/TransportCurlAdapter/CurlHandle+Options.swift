import CCurl
import Foundation
import SystemPlatform
import TransportPort

extension CurlHandle {
  /// Sets the options that are the same for all transfers.
  ///
  /// - Throws: ``TransportError/Kind-swift.enum/unsupportedOption(_:)``.
  func setUp(
    _ configuration: CurlTransport.Configuration, loop: CurlLoop,
    errorText: UnsafeMutablePointer<CChar>
  ) throws(TransportError) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_pointer(easy, CURLOPT_PRIVATE, this)
    ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    setCallbacks(this)
    setSocketCallbacks(Unmanaged.passUnretained(loop).toOpaque())
    try CurlOptions(easy, configuration).setSecurity()
    set(CURLOPT_NOSIGNAL, true)
    // Without this, removing a handle blocks until the thread that resolves its host has ended.
    set(ccurl_option_quick_exit, true)
    // libcurl allocates and frees the buffer for each transfer.
    ccurl_set_long(easy, CURLOPT_BUFFERSIZE, Self.chunkSize)
    setVersion(offersHTTP2: false)
    setTimes(options, configuration)
  }

  /// Sets the time limits of an exchange.
  func setTimes(_ options: TransportOptions, _ configuration: CurlTransport.Configuration) {
    let connect = options.connectTimeout ?? configuration.connectTimeout
    // Zero would mean libcurl's default of five minutes.
    ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, connect.wholeMilliseconds))
    ccurl_set_long(
      easy, CURLOPT_EXPECT_100_TIMEOUT_MS, options.continueTimeout.wholeMilliseconds)
  }

  /// Sets whether ALPN offers HTTP/2.
  func setVersion(offersHTTP2: Bool) {
    ccurl_set_long(
      easy, CURLOPT_HTTP_VERSION,
      offersHTTP2 ? ccurl_http_version_2tls : ccurl_http_version_11)
    // Concurrent requests wait for the first connection instead of opening one each, in case the
    // server speaks HTTP/2.
    set(CURLOPT_PIPEWAIT, offersHTTP2)
  }

  /// Sets the method and the framing of the body.
  func setMethod(_ wire: WireRequest) {
    // Each of these options changes the method that the others set, so the order matters. This one
    // resets the upload and the lack of content as well.
    set(CURLOPT_HTTPGET, true)
    switch wire.framing {
    case .none:
      if wire.method == .head { set(CURLOPT_NOBODY, true) }
    case .length(let length):
      set(CURLOPT_UPLOAD, true)
      ccurl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(length))
    case .chunked:
      set(CURLOPT_UPLOAD, true)
      ccurl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, -1)
    }
    ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, wire.method.rawValue)
  }

  /// Returns the fields as libcurl expects them, without those that it generates itself.
  static func list(_ wire: WireRequest) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for field in wire.headerFields {
      switch field.name {
      case .contentLength, .transferEncoding: continue
      default: list = append(field, to: list)
      }
    }
    // A name without a value removes the field that libcurl would add.
    if !wire.headerFields.contains(.accept) { list = curl_slist_append(list, "Accept:") }
    if wire.framing != .none, !wire.headerFields.contains(.expect) {
      list = curl_slist_append(list, "Expect:")
    }
    return list
  }

  /// Appends a field to a list.
  ///
  /// - Parameter emptyMark: The bytes after the name if the value is empty. For header fields it is
  ///   a semicolon, because libcurl removes a field whose name is followed by a colon only.
  static func append(
    _ field: HTTPField, emptyMark: [UInt8] = [0x3B],
    to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    let name = Array(field.name.rawName.utf8)
    let line = name + (field.bytes.isEmpty ? emptyMark : [0x3A, 0x20] + field.bytes) + [0]
    return line.withUnsafeBytes {
      curl_slist_append(list, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }

  private func setCallbacks(_ this: UnsafeMutableRawPointer) {
    ccurl_set_pointer(easy, CURLOPT_HEADERDATA, this)
    ccurl_set_write(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return CurlHandle.with(this) { $0.receive(line: bytes) ? bytes.count : 0 }
    }
    ccurl_set_pointer(easy, CURLOPT_WRITEDATA, this)
    ccurl_set_write(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return CurlHandle.with(this) { $0.receive(content: bytes) }
    }
    ccurl_set_pointer(easy, CURLOPT_READDATA, this)
    ccurl_set_read(easy) { bytes, size, count, this in
      let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
      return CurlHandle.with(this) { $0.supply(buffer) }
    }
    ccurl_set_pointer(easy, CURLOPT_SEEKDATA, this)
    ccurl_set_seek(easy) { this, _, _ in
      // Without CURLOPT_RESUME_FROM, libcurl seeks only to the start.
      CurlHandle.with(this) { $0.rewind() } ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
    ccurl_set_pointer(easy, CURLOPT_PREREQDATA, this)
    ccurl_set_prerequest(easy) { this, remoteAddress, localAddress, remotePort, localPort in
      CurlHandle.with(this) {
        $0.allowsAttempt(
          on: $0.loop.connections.connection(
            from: (localAddress, localPort), to: (remoteAddress, remotePort)))
      } ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    ccurl_set_pointer(easy, CURLOPT_DEBUGDATA, this)
    ccurl_set_debug(easy) { _, type, bytes, count, this in
      let bytes = UnsafeMutableRawBufferPointer(start: bytes, count: count)
      switch type {
      case CURLINFO_DATA_IN:
        CurlHandle.with(this) { $0.receive(raw: UnsafeRawBufferPointer(bytes)) }
      case CURLINFO_TEXT: CurlHandle.with(this) { $0.receive(trace: UnsafeRawBufferPointer(bytes)) }
      case CURLINFO_HEADER_IN: CurlHandle.with(this) { $0.rejectFoldedFirstField(bytes) }
      default: break
      }
      return 0
    }
    ccurl_set_pointer(easy, CURLOPT_XFERINFODATA, this)
    ccurl_set_progress(easy) { this, _, _, _, _ in
      CurlHandle.with(this) { $0.noteProgress() }
      return 0
    }
  }

  /// Enables trailer fields.
  ///
  /// Call this only for a transfer with trailers, and use the handle for no other transfer: libcurl
  /// 7.88 does not reset its trailer state, and for the next transfer writes the size of the first
  /// chunk before the start of its buffer.
  func setTrailers() {
    ccurl_set_pointer(easy, CURLOPT_TRAILERDATA, Unmanaged.passUnretained(self).toOpaque())
    ccurl_set_trailer(easy) { list, this in
      CurlHandle.with(this) { $0.trailerList(list) }
      return CURL_TRAILERFUNC_OK
    }
  }

  /// Sets the socket callbacks.
  ///
  /// A kept connection outlives the handle that opened it, so their user data is the loop.
  private func setSocketCallbacks(_ loop: UnsafeMutableRawPointer) {
    ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, loop)
    // A child process inherits the sockets of libcurl 7.88, and while it has a connection, closing
    // that here doesn't end it.
    ccurl_set_socket_opening(easy) { loop, _, address in
      let (address, loop) = (address.pointee, Unmanaged<CurlLoop>.fromOpaque(loop))
      let socket = makeSocket(
        family: address.family, type: address.socktype, protocol: address.protocol)
      guard socket != CURL_SOCKET_BAD else { return socket }
      loop.takeUnretainedValue().connections.open(socket, family: address.family)
      return socket
    }
    ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, loop)
    ccurl_set_socket_closing(easy) { loop, socket in
      Unmanaged<CurlLoop>.fromOpaque(loop).takeUnretainedValue().connections.close(socket)
      return close(socket)
    }
  }

  /// Calls a method of the handle that a callback receives as user data.
  ///
  /// No reference count is needed: the loop retains the handle as long as libcurl may call back.
  private static func with<Result>(
    _ pointer: UnsafeMutableRawPointer, _ body: (CurlHandle) -> Result
  ) -> Result {
    Unmanaged<CurlHandle>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up; from 0 to 10 days.
  fileprivate var wholeMilliseconds: Int {
    Int((Swift.min(Swift.max(self, .zero), .seconds(864_000)) / .milliseconds(1)).rounded(.up))
  }
}
