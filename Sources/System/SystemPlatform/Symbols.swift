import CPlatform
import Foundation

/// Looks up an exported symbol in every image of this process.
///
/// Source: dlsym(3), `RTLD_DEFAULT`.
///
/// - Returns: The symbol's address, or `nil` if no image exports it.
public func symbolAddress(of name: String) -> UnsafeMutableRawPointer? { platform_symbol(name) }

/// The linker name of the function that contains an address.
///
/// Source: dladdr(3).
///
/// - Returns: The mangled name, or `nil` if the image exports no symbol there.
public func symbolName(at address: UInt) -> String? {
  guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
  return platform_symbol_name(pointer).map { String(cString: $0) }
}

/// The path of the program or library that contains an address, and the address of its first byte.
///
/// Source: dladdr(3).
///
/// - Returns: `nil` if no image contains the address.
public func image(containing address: UInt) -> (path: String, base: UnsafeRawPointer)? {
  guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
  var base: UnsafeRawPointer?
  guard let path = platform_image(pointer, &base), let base else { return nil }
  return (String(cString: path), base)
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
