public import ContractTesting

extension Capability {
  /// The response can be read while the request is still being sent.
  public static let bidirectionalStreaming = Capability(
    "bidirectional-streaming", "a response is read while its request is still being sent")

  /// The transport trusts the certificates of its setup and no others.
  public static let customAuthorities = Capability(
    "custom-authorities", "the transport trusts the certificates it is given and no others")

  /// The server that speaks HTTP/2 does what a plan says.
  public static let scriptedServer = Capability(
    "scripted-server", "the server that speaks HTTP/2 does what a clause tells it")

  /// The transport goes through the proxy of its setup.
  public static let proxy = Capability(
    "proxy", "the transport goes through the HTTP proxy it is given")
}
