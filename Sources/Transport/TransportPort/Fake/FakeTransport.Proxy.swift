extension FakeTransport {
  /// A proxy on the way to all origins of a fake transport.
  ///
  /// For `http` its plan gets the whole URL as the target, and what it answers is the response. For
  /// `https` it gets CONNECT for each connection: 2xx opens the way to the origin's own plan.
  public struct Proxy: Sendable {
    /// The proxy itself, with its own plan and record.
    public var transport: FakeTransport

    /// The value of `Proxy-Authorization`, such as `Basic dTpw`; `nil` sends none.
    public var authorization: String?

    /// The hosts that are reached without it.
    public var bypassing: [String]

    /// A proxy.
    public init(
      _ transport: FakeTransport, authorization: String? = nil, bypassing: [String] = []
    ) {
      self.transport = transport
      self.authorization = authorization
      self.bypassing = bypassing
    }

    /// Whether it stands on the way to an origin.
    func isOnWay(to origin: HTTPOrigin) -> Bool { !bypassing.contains(origin.host) }

    /// Opens the way to an origin.
    ///
    /// - Returns: The tunnel, to be kept as long as it is used.
    func tunnel(for wire: WireRequest) async throws(TransportError) -> HTTPExchange {
      let status: Int
      let failure: String
      do throws(TransportError) {
        let connect = wire.connect(authorization: authorization)
        let exchange = FakeExchange(
          transport: transport, wire: connect,
          request: HTTPRequest(method: .connect, url: connect.target), body: .none,
          options: TransportOptions())
        let tunnel = try await exchange.start()
        status = tunnel.response.status.code
        if (200...299).contains(status) { return tunnel }
        failure = "the proxy answered CONNECT by \(status)"
      } catch {
        if error.kind == .cancelled || error.kind == .shutDown { throw error }
        (status, failure) = (0, "the proxy failed: \(error)")
      }
      throw wire.error(
        status == 407 ? .proxyAuthenticationRequired : .proxyFailed, phase: .connecting,
        bytesSent: false, detail: failure)
    }
  }
}

extension WireRequest {
  /// The request as a proxy gets it in the clear.
  func proxied(authorization: String?) -> WireRequest {
    var fields = headerFields
    fields[.proxyAuthorization] = authorization ?? fields[.proxyAuthorization]
    return WireRequest(
      method: method, origin: origin, target: url, headerFields: fields, framing: framing)
  }

  /// What asks a proxy for a tunnel to the origin of this request.
  fileprivate func connect(authorization: String?) -> WireRequest {
    let authority = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
    let target = "\(authority):\(origin.port)"
    var fields: HTTPFields = [.host: target]
    fields[.proxyAuthorization] = authorization
    return WireRequest(
      method: .connect, origin: origin, target: target, headerFields: fields, framing: .none)
  }
}
