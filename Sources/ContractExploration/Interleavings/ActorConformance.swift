/// Makes an actor of its address, faster than a cast when it is of the same class as the one before.
///
/// Nothing is kept of the actors themselves.
struct ActorConformance: BitwiseCopyable {
  /// The class, by the address of its description, or 0.
  private var type: UInt = 0
  /// How the class conforms to `Actor`, by the address of the table of its functions.
  private var functions: UInt = 0

  /// The actor at an address, or `nil` where the object there is none.
  mutating func actor(at address: UnsafeRawPointer) -> (any Actor)? {
    let type = address.load(as: UInt.self)
    if type == self.type {
      // A value of a protocol that only classes conform to is the object and the table.
      return unsafeBitCast((address, functions), to: (any Actor).self)
    }
    let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    guard let actor = object as? any Actor else { return nil }
    self.type = type
    // `as` keeps the value from being opened, which would leave the object alone.
    functions = unsafeBitCast(actor as any Actor, to: (UInt, UInt).self).1
    return actor
  }
}
