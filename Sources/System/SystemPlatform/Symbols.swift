#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Looks up an exported symbol in every image of this process.
///
/// Source: dlsym(3), `RTLD_DEFAULT`.
///
/// - Returns: The symbol's address, or `nil` if no image exports it.
public func symbolAddress(of name: String) -> UnsafeMutableRawPointer? {
  // Swift does not import `RTLD_DEFAULT`, a macro with a cast.
  #if canImport(Darwin)
    let everyImage = UnsafeMutableRawPointer(bitPattern: -2)
  #else
    let everyImage: UnsafeMutableRawPointer? = nil
  #endif
  return dlsym(everyImage, name)
}

/// The linker name of the function that contains an address.
///
/// Source: dladdr(3).
///
/// - Returns: The mangled name, or `nil` if the image exports no symbol there.
public func symbolName(at address: UInt) -> String? {
  // glibc declares `dladdr` only with `_GNU_SOURCE`, so its header hides it from Swift.
  typealias Lookup = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32
  guard let pointer = UnsafeRawPointer(bitPattern: address),
    let symbol = symbolAddress(of: "dladdr")
  else { return nil }
  let lookup = unsafeBitCast(symbol, to: Lookup.self)
  // `Dl_info` has four pointers: file name, file base, symbol name, symbol address.
  return withUnsafeTemporaryAllocation(of: UInt.self, capacity: 4) { info in
    info.initialize(repeating: 0)
    guard let base = info.baseAddress, lookup(pointer, base) != 0,
      let name = UnsafePointer<CChar>(bitPattern: info[2])
    else { return nil }
    return String(cString: name)
  }
}

/// The Swift declaration of a mangled name, such as `main.Account.withdraw(Swift.Int) -> ()`.
///
/// - Returns: `nil` if the name is not a Swift symbol, or the runtime exports no `swift_demangle`.
public func demangled(_ symbol: String) -> String? {
  typealias Demangle =
    @convention(c) (
      UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?
  guard let function = symbolAddress(of: "swift_demangle") else { return nil }
  let demangle = unsafeBitCast(function, to: Demangle.self)
  return symbol.withCString { name in
    guard let result = demangle(name, symbol.utf8.count, nil, nil, 0) else { return nil }
    // Without a buffer of the caller, the runtime allocates the result with malloc(3).
    defer { free(result) }
    return String(cString: result)
  }
}
