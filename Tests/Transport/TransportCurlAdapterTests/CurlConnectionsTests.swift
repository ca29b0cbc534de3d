import Foundation
import ScriptedOrigin
import SystemPlatform
import Testing

@testable import TransportCurlAdapter

/// Which connection has two ends, as the prerequest callback of libcurl reports them.
@Suite struct CurlConnectionsTests {
  /// A server, and sockets that are connected to it.
  private final class Peer {
    let origin: ScriptedOrigin
    private(set) var sockets: [Int32] = []

    init() throws { origin = try ScriptedOrigin(.respond()) }

    deinit { for socket in sockets { close(socket) } }

    func makeSocket() -> Int32 {
      sockets.append(makeTCPSocket())
      return sockets[sockets.count - 1]
    }

    func connect(_ socket: Int32) throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(origin.port).bigEndian
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(code == 0, "can't connect: \(String(cString: strerror(errno)))")
    }
  }

  private func connection(
    in connections: inout CurlConnections, from local: String = "127.0.0.1", _ localPort: Int,
    to remotePort: Int, at remote: String = "127.0.0.1"
  ) -> CurlConnection? {
    let texts = [local, remote].map { strdup($0 as String)! }
    defer { for text in texts { free(text) } }
    return connections.connection(
      from: (texts[0], Int32(localPort)), to: (texts[1], Int32(remotePort)))
  }

  private func localPort(of socket: Int32) throws -> Int {
    Int(try #require(LoopbackSocket.localPort(of: socket)))
  }

  @Test func `a connection is known from its connection to its end, and keeps its state`() throws {
    let peer = try Peer()
    let socket = peer.makeSocket()
    var connections = CurlConnections(localPorts: [])
    connections.open(socket, family: AF_INET)
    #expect(connection(in: &connections, 0, to: peer.origin.port) == nil)
    try peer.connect(socket)
    let port = try localPort(of: socket)
    let known = try #require(connection(in: &connections, port, to: peer.origin.port))
    #expect(known.socket == socket)
    #expect(connection(in: &connections, port, to: peer.origin.port) === known)
    #expect(connection(in: &connections, port + 1, to: peer.origin.port) == nil)
    connections.close(socket)
    #expect(connection(in: &connections, port, to: peer.origin.port) == nil)
  }

  /// The system may give the descriptor to a connection of something else.
  @Test func `a socket that was closed before it was connected is forgotten`() throws {
    let peer = try Peer()
    let socket = peer.makeSocket()
    var connections = CurlConnections(localPorts: [])
    connections.open(socket, family: AF_INET)
    connections.close(socket)
    try peer.connect(socket)
    let port = try localPort(of: socket)
    #expect(connection(in: &connections, port, to: peer.origin.port) == nil)
  }

  @Test func `connections with one local port are told apart by all ends`() throws {
    let (far, near) = (try Peer(), try Peer())
    let port = try Int(ScriptedOrigin.freePort())
    var connections = CurlConnections(localPorts: [UInt16(port), UInt16(port)])
    let sockets = (far.makeSocket(), near.makeSocket())
    connections.open(sockets.0, family: AF_INET)
    connections.open(sockets.1, family: AF_INET)
    try far.connect(sockets.0)
    try near.connect(sockets.1)
    #expect(try localPort(of: sockets.0) == port)
    #expect(try localPort(of: sockets.1) == port)
    let (farPort, nearPort) = (far.origin.port, near.origin.port)
    #expect(connection(in: &connections, port, to: farPort)?.socket == sockets.0)
    #expect(connection(in: &connections, port, to: nearPort)?.socket == sockets.1)
    #expect(connection(in: &connections, port, to: 1) == nil)
    #expect(connection(in: &connections, port, to: nearPort, at: "127.0.0.2") == nil)
    #expect(connection(in: &connections, from: "127.0.0.2", port, to: nearPort) == nil)
    connections.close(sockets.0)
    #expect(connection(in: &connections, port, to: nearPort)?.socket == sockets.1)
    connections.close(sockets.1)
    #expect(connection(in: &connections, port, to: nearPort) == nil)
  }

  @Test func `the closing of one connection leaves the others`() throws {
    let peer = try Peer()
    let sockets = (0..<8).map { _ in peer.makeSocket() }
    var connections = CurlConnections(localPorts: [])
    for socket in sockets {
      connections.open(socket, family: AF_INET)
      try peer.connect(socket)
    }
    let ports = try sockets.map { try localPort(of: $0) }
    for (index, socket) in sockets.enumerated() {
      #expect(connection(in: &connections, ports[index], to: peer.origin.port)?.socket == socket)
      connections.close(socket)
      for (other, port) in ports.enumerated() {
        #expect(
          connection(in: &connections, port, to: peer.origin.port)?.socket
            == (other > index ? sockets[other] : nil))
      }
    }
  }
}
