public import ContractTesting

extension FixtureScope {
  /// Starts a proxy to a server for this case, and stops it during teardown.
  ///
  /// The bytes that the server sends through it are a witness: see `FixtureScope.witness(_:_:)`.
  ///
  /// - Parameters:
  ///   - port: The server's port on 127.0.0.1.
  ///   - seed: The seed of random delays.
  /// - Throws: An error that names the system call if no socket can be made.
  public func proxy(to port: UInt16, seed: UInt64 = 0) throws -> TCPProxy {
    let proxy = try TCPProxy(to: port, seed: seed)
    onTearDown { proxy.stop() }
    addWitness("the server's answers", .connection) { proxy.answeredBytes }
    return proxy
  }
}
