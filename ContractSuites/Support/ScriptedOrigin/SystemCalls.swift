#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// System functions whose names methods of this module hide.
enum SystemCalls {
  static func send(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.send(socket, bytes, count, 0)
    #else
      Glibc.send(socket, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
  }

  static func accept(_ socket: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.accept(socket, nil, nil)
    #else
      Glibc.accept(socket, nil, nil)
    #endif
  }

  static func connect(
    _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
  ) -> Int32 {
    #if canImport(Darwin)
      Darwin.connect(socket, address, size)
    #else
      Glibc.connect(socket, address, size)
    #endif
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }
}
