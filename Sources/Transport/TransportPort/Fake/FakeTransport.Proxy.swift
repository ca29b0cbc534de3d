extension FakeTransport {
  /// A proxy between a fake transport and its origins.
  ///
  /// For `http` the proxy's plan receives the absolute URL as the target and its response is the
  /// response of the exchange. For `https` the plan receives CONNECT for each connection; after a
  /// 2xx response the origin's plan answers the requests in the tunnel.
  public struct Proxy: Sendable {
    /// The proxy, with its own plan and recorded requests.
    ///
    /// It belongs to one transport: shutting that down shuts the proxy down too.
    public var transport: FakeTransport

    /// The value of `Proxy-Authorization`, such as `Basic dTpw`; `nil` sends none.
    public var authorization: String?

    /// The hosts that are reached without the proxy.
    public var bypassing: [String]

    /// Creates a proxy.
    public init(
      _ transport: FakeTransport, authorization: String? = nil, bypassing: [String] = []
    ) {
      self.transport = transport
      self.authorization = authorization
      self.bypassing = bypassing
    }

    /// Whether requests to an origin go through the proxy.
    func applies(to origin: HTTPOrigin) -> Bool { !bypassing.contains(origin.host) }

    /// Opens a tunnel to an origin.
    ///
    /// - Returns: The tunnel; releasing its body closes it.
    func tunnel(for wire: WireRequest) async throws(TransportError) -> HTTPExchange {
      var kind = TransportError.Kind.proxyFailed
      let failure: String
      do throws(TransportError) {
        let connect = wire.connect(authorization: authorization)
        let exchange = FakeExchange(
          transport: transport, wire: connect,
          request: HTTPRequest(method: .connect, url: connect.target), body: .none,
          options: TransportOptions())
        let tunnel = try await exchange.start()
        let status = tunnel.response.status
        if status.isSuccessful { return tunnel }
        if status.code == 407 { kind = .proxyAuthenticationRequired }
        failure = "the proxy answered CONNECT with status \(status.code)"
      } catch {
        // The caller's cancellation may reach the tunnel before it ends the caller's own exchange.
        if error.kind == .cancelled {
          throw wire.error(
            .cancelled, phase: .connecting, bytesSent: false, detail: "the tunnel was ended")
        }
        failure = "the proxy failed: \(error)"
      }
      throw wire.error(kind, phase: .connecting, bytesSent: false, detail: failure)
    }
  }
}

extension WireRequest {
  /// The request as a proxy receives it for an `http` origin, with an absolute target.
  func proxied(authorization: String?) -> WireRequest {
    var fields = headerFields
    fields[.proxyAuthorization] = authorization ?? fields[.proxyAuthorization]
    return WireRequest(
      method: method, origin: origin, target: url, headerFields: fields, framing: framing)
  }

  /// The CONNECT request for a tunnel to the origin of this request.
  fileprivate func connect(authorization: String?) -> WireRequest {
    let authority = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
    let target = "\(authority):\(origin.port)"
    var fields: HTTPFields = [.host: target]
    fields[.proxyAuthorization] = authorization
    return WireRequest(
      method: .connect, origin: origin, target: target, headerFields: fields, framing: .none)
  }
}
