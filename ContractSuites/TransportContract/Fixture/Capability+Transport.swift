public import ContractTesting

extension Capability {
  /// The transport returns the response's head and content while it still sends the request.
  public static let bidirectionalStreaming = Capability(
    "bidirectional-streaming", "a response can be read while its request is still being sent")

  /// The transport trusts the certificate authorities of its setup and no others.
  public static let customAuthorities = Capability(
    "custom-authorities", "the transport trusts only the certificate authorities of its setup")

  /// The HTTP/2 server plays the plan of a clause.
  public static let scriptedServer = Capability(
    "scripted-server", "the HTTP/2 server plays the plan of a clause")

  /// The transport uses the HTTP proxy of its setup.
  public static let proxy = Capability("proxy", "the transport uses the HTTP proxy of its setup")

  /// The transport's connections use the local ports of its setup.
  public static let localPorts = Capability(
    "local-ports", "the transport's connections use the local ports of its setup")

  /// Exchanges use connections that the peer sees, and take the time that the peer takes.
  public static let connections = Capability(
    "connections", "exchanges use connections to the peer and take the peer's time")
}
