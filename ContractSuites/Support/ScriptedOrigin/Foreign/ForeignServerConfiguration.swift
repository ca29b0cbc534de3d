import Foundation

/// The configuration file and command line of a foreign server.
struct ForeignServerConfiguration {
  let program: ForeignServer.Program
  let role: ForeignServer.Role
  let folder: String
  let port: Int
  let backendPort: Int?
  let requestsPerConnection: Int?
  let maximumStreams: Int?
  let logsRequests: Bool

  /// Writes the configuration file, if the program needs one, and returns the arguments.
  func arguments() throws -> [String] {
    switch program {
    case .nginx:
      ["-p", folder, "-c", try file("nginx.conf", nginx), "-e", "stderr"]
    case .haproxy:
      ["-db", "-f", try file("haproxy.cfg", haproxy)]
    case .h2o:
      ["-c", try file("h2o.yaml", h2o)]
    case .nghttpd:
      (logsRequests ? ["-v"] : []) + [
        "-a", "127.0.0.1", "-d", root, "-m", "\(maximumStreams ?? 100)", "\(port)",
        "\(folder)/key.pem", "\(folder)/certificate.pem",
      ]
    case .node:
      [try file("server.js", node), "\(port)", folder, "\(forwardedPort ?? 0)", root]
    case .caddy:
      ["run", "--adapter", "caddyfile", "--config", try file("Caddyfile", caddy)]
    case .lighttpd:
      ["-D", "-f", try file("lighttpd.conf", lighttpd)]
    case .nghttpx:
      [
        // Otherwise it reads the system's configuration. One process ends with all that it has started.
        "--conf=\(try file("nghttpx.conf", ""))", "--single-process", "--errorlog-file=/dev/stderr",
        "--frontend=127.0.0.1,\(port)\(isSecure ? "" : ";no-tls")",
        "--backend=127.0.0.1,\(backendPort ?? 0)",
        "--frontend-http2-max-concurrent-streams=\(maximumStreams ?? 100)",
      ] + (logsRequests ? ["--accesslog-file=/dev/stdout"] : [])
        + (isSecure ? ["\(folder)/key.pem", "\(folder)/certificate.pem"] : [])
    }
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let path = "\(folder)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The folder whose files are served.
  private var root: String {
    if case .serving(let root, _) = role { root.path } else { folder }
  }

  private var isSecure: Bool {
    if case .serving(_, .http) = role { false } else { true }
  }

  /// The port to which the bytes of each connection go; `nil` for a server of files.
  private var forwardedPort: Int? {
    if case .terminatingTLS(let port) = role { port } else { nil }
  }

  private var nginx: String {
    // One process, because killing a master process leaves its workers running.
    let process = """
      daemon off; master_process off; pid \(folder)/nginx.pid;
      events { worker_connections 2048; }
      """
    let identity = """
      ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
      """
    if let forwardedPort {
      // Debian builds the stream module as a file of its own.
      let module = "/usr/lib/nginx/modules/ngx_stream_module.so"
      let load = FileManager.default.fileExists(atPath: module) ? "load_module \(module);" : ""
      return """
        \(load) \(process)
        stream { server {
          listen 127.0.0.1:\(port) ssl; \(identity)
          proxy_pass 127.0.0.1:\(forwardedPort); tcp_nodelay on;
        } }
        """
    }
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
    let limit =
      (requestsPerConnection.map { "keepalive_requests \($0);" } ?? "")
      + (maximumStreams.map { " http2_max_concurrent_streams \($0);" } ?? "")
    return """
      \(process)
      http { access_log \(logsRequests ? "/dev/stdout" : "off"); \(paths) default_type text/plain;
        server { listen 127.0.0.1:\(port)\(isSecure ? " ssl http2" : "");
          \(isSecure ? identity : "") root \(root); \(limit)
      } }
      """
  }

  private var haproxy: String {
    let identity = isSecure ? "ssl crt \(folder)/both.pem" : ""
    let protocols = isSecure && forwardedPort == nil ? "alpn h2,http/1.1" : ""
    return """
      global
        maxconn 2000
        \(maximumStreams.map { "tune.h2.max-concurrent-streams \($0)" } ?? "")
        \(logsRequests ? "log stdout format raw local0" : "")
      defaults
        mode \(forwardedPort == nil ? "http" : "tcp")
        \(logsRequests ? "log global\n  option httplog" : "")
        timeout connect 10s
        timeout client 60s
        timeout server 60s
      frontend in
        bind 127.0.0.1:\(port) \(identity) \(protocols)
        default_backend out
      backend out
        server one 127.0.0.1:\(forwardedPort ?? backendPort ?? 0)

      """
  }

  private var h2o: String {
    // The private key stays in the server's process, and no program asks for the certificate's status:
    // each would be another process, for whose end the tests would have to wait.
    let identity = """
          ssl:
            certificate-file: \(folder)/certificate.pem
            key-file: \(folder)/key.pem
            neverbleed: OFF
            ocsp-update-interval: 0
      """
    // As root it would become another user, who may not read the folder. Another user may not say who it is.
    let user = NSUserName() == "root" ? "user: root" : ""
    return """
      listen:
          host: 127.0.0.1
          port: \(port)
      \(isSecure ? identity : "")
      \(user)
      num-threads: 1
      http2-max-concurrent-requests-per-connection: \(maximumStreams ?? 100)
      crash-handler: /bin/false
      \(logsRequests ? "access-log: /dev/stdout" : "")
      hosts:
        default:
          paths:
            /:
              file.dir: \(root)

      """
  }

  private var node: String {
    """
    const fs = require('fs'), net = require('net'), [port, folder, forwarded, root] =
      process.argv.slice(2);
    const options = {
      key: fs.readFileSync(folder + '/key.pem'), cert: fs.readFileSync(folder + '/certificate.pem'),
      allowHTTP1: true, settings: { maxConcurrentStreams: \(maximumStreams ?? 100) }
    };
    const serve = (request, response) => {
      if (\(logsRequests)) console.log(request.method, request.url);
      const path = require('path').join(root, require('path').normalize(request.url));
      fs.stat(path, (error, found) => {
        if (error || !found.isFile()) { response.statusCode = 404; return response.end('not found'); }
        response.setHeader('content-length', found.size);
        if (request.method === 'HEAD') return response.end();
        fs.createReadStream(path).pipe(response);
      });
    };
    const forward = inner => {
      const outer = net.connect(Number(forwarded), '127.0.0.1');
      inner.setNoDelay(); outer.setNoDelay();
      inner.pipe(outer).pipe(inner);
      inner.on('error', () => outer.destroy()); outer.on('error', () => inner.destroy());
    };
    const server = Number(forwarded) ? require('tls').createServer(options, forward)
      : \(isSecure) ? require('http2').createSecureServer(options, serve)
      : require('http').createServer(serve);
    server.listen(Number(port), '127.0.0.1');

    """
  }

  private var caddy: String {
    """
    {
      admin off
      auto_https off
    }
    \(isSecure ? "https" : "http")://127.0.0.1:\(port) {
      bind 127.0.0.1
      \(isSecure ? "tls \(folder)/certificate.pem \(folder)/key.pem" : "")
      \(logsRequests ? "log {\n    output stdout\n  }" : "")
      root * \(root)
      file_server
    }

    """
  }

  private var lighttpd: String {
    let identity = """
      server.modules += ("mod_openssl")
      ssl.engine = "enable"
      ssl.pemfile = "\(folder)/certificate.pem"
      ssl.privkey = "\(folder)/key.pem"
      """
    let log = """
      server.modules += ("mod_accesslog")
      accesslog.filename = "/dev/stdout"
      """
    return """
      server.bind = "127.0.0.1"
      server.port = \(port)
      server.document-root = "\(root)"
      \(isSecure ? identity : "")
      \(logsRequests ? log : "")

      """
  }
}
