import Foundation

/// nginx on free loopback ports, with a file of 1 KiB and one of 256 MiB.
final class LocalServer {
  let url: String
  /// The URL over TLS, with HTTP/2.
  let secureURL: String
  /// The file of the certificate, which has signed itself.
  var certificate: String { folder.appending(path: "certificate.pem").path }
  private let process = Process()
  private let folder: URL

  /// Starts nginx. Returns `nil` if it is not installed.
  init?() throws {
    let candidates = ["/usr/sbin/nginx", "/opt/homebrew/bin/nginx", "/usr/local/bin/nginx"]
    guard let program = candidates.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "transport-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // nginx workers run as another user, which must be able to read the folder.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    try Data(repeating: 0x61, count: 1024).write(to: folder.appending(path: "1k"))
    try Data(repeating: 0x61, count: 256 << 20).write(to: folder.appending(path: "256m"))
    let port = Self.freePort()
    url = "http://127.0.0.1:\(port)"
    let securePort = Self.freePort()
    secureURL = "https://127.0.0.1:\(securePort)"
    try Self.makeCertificate(in: folder)
    let configuration = """
      daemon off; worker_processes 2; pid \(folder.path)/pid; error_log \(folder.path)/error;
      events { worker_connections 4096; }
      http {
        access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000000;
        open_file_cache max=10;
        client_body_temp_path \(folder.path)/1; proxy_temp_path \(folder.path)/2;
        fastcgi_temp_path \(folder.path)/3; uwsgi_temp_path \(folder.path)/4;
        scgi_temp_path \(folder.path)/5;
        server { listen 127.0.0.1:\(port) backlog=4096; root \(folder.path); }
        server {
          listen 127.0.0.1:\(securePort) ssl http2 backlog=4096; root \(folder.path);
          ssl_certificate \(folder.path)/certificate.pem; ssl_certificate_key \(folder.path)/key.pem;
        }
      }
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
    process.executableURL = URL(filePath: program)
    process.arguments = ["-p", folder.path, "-c", folder.appending(path: "nginx.conf").path]
    try process.run()
    for _ in 0..<200 where !Self.accepts(port) { usleep(10_000) }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func makeCertificate(in folder: URL) throws {
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.currentDirectoryURL = folder
    openssl.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2", "-subj", "/CN=127.0.0.1",
      "-addext", "subjectAltName=IP:127.0.0.1",
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
  }

  /// Finds a free port, because nginx cannot choose one and report it.
  private static func freePort() -> UInt16 {
    withSocket(port: 0) { socket, address, size in
      bind(socket, address, size)
      var size = size
      var bound = sockaddr_in()
      _ = withUnsafeMutablePointer(to: &bound) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
      }
      return UInt16(bigEndian: bound.sin_port)
    }
  }

  private static func accepts(_ port: UInt16) -> Bool {
    withSocket(port: port) { connect($0, $1, $2) == 0 }
  }

  private static func withSocket<Value>(
    port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    // The type is an enumeration in glibc and a number elsewhere. 1 is SOCK_STREAM everywhere.
    let socket = socket(AF_INET, 1, 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
