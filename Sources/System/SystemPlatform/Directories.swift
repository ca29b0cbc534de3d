import CPlatform

/// Opens a directory in another for nothing but looking up names in it, which needs no permission to read it.
///
/// - Returns: A descriptor, or -1 with `errno`. A link is an error.
///
/// Source: open(2), `O_PATH` on Linux and `O_SEARCH` elsewhere.
package func openDirectory(_ name: UnsafePointer<CChar>, in directory: Int32) -> Int32 {
  platform_open_directory(directory, name)
}

/// When an entry of a directory changed, in seconds since the beginning of 1970 and nanoseconds, or `nil` with `errno`. A link
/// is not followed.
///
/// Source: fstatat(2).
package func modificationTime(
  of name: UnsafePointer<CChar>, in directory: Int32
) -> (seconds: Int64, nanoseconds: Int32)? {
  var seconds: Int64 = 0
  var nanoseconds: Int32 = 0
  guard platform_modification_time(directory, name, &seconds, &nanoseconds) == 0 else { return nil }
  return (seconds, nanoseconds)
}

/// Sets when an entry of a directory changed, and leaves when it was read. A link is not followed.
///
/// - Returns: 0, or -1 with `errno`.
///
/// Source: utimensat(2).
package func setModificationTime(
  _ seconds: Int64, _ nanoseconds: Int32, of name: UnsafePointer<CChar>, in directory: Int32
) -> Int32 {
  platform_set_modification_time(directory, name, seconds, nanoseconds)
}
