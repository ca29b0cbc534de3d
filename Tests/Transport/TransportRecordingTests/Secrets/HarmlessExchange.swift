import Foundation
import SeededRandom
import TransportPort

/// Exchanges as usual servers have them, with identifiers, hashes, dates and media but no secret.
enum HarmlessExchange {
  /// Random values in the forms that interfaces use.
  private struct Maker {
    var generator: SplitMix64

    private static let base62 = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    private static let url64 = base62 + ["-", "_"]
    private static let ulid = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    mutating func text(_ alphabet: [Character], _ count: Int) -> String {
      SecretKind.random(alphabet, count, &generator)
    }

    mutating func hex(_ count: Int) -> String { text(Array("0123456789abcdef"), count) }
    mutating func digits(_ count: Int) -> String { text(Array("123456789"), count) }
    mutating func base62(_ count: Int) -> String { text(Self.base62, count) }
    mutating func url64(_ count: Int) -> String { text(Self.url64, count) }
    mutating func ulid() -> String { "01" + text(Self.ulid, 24) }

    mutating func uuid() -> String {
      [hex(8), hex(4), "4" + hex(3), "a" + hex(3), hex(12)].joined(separator: "-")
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    mutating func base64(_ count: Int) -> String { Data(bytes(count)).base64EncodedString() }

    mutating func date() -> String {
      "2024-0\(Int.random(in: 1...9, using: &generator))-1\(digits(1))T0\(digits(1)):3\(digits(1)):1\(digits(1)).\(digits(3))Z"
    }
  }

  /// 208 exchanges; the same in every process.
  static func all() -> [SecretPlace] {
    (0..<4).flatMap { round in
      var maker = Maker(generator: SplitMix64(seed: UInt64(round) + 7))
      return json(&maker) + fields(&maker) + texts(&maker) + media(&maker)
    }
  }

  private static func answer(
    _ name: String, _ path: String, _ type: String, _ text: String, _ fields: HTTPFields = [:]
  ) -> SecretPlace {
    var fields = fields
    fields[.contentType] = type
    return SecretPlace(
      name: name, request: HTTPRequest(url: "https://api.example.com\(path)"),
      answer: .respond(headerFields: fields, text: text))
  }

  private static func json(_ make: inout Maker) -> [SecretPlace] {
    let type = "application/json; charset=utf-8"
    return [
      answer(
        "commit", "/repos/a/b/commits/\(make.hex(40))", type,
        """
        {"sha":"\(make.hex(40))","node_id":"C_kwDO\(make.base62(52))","commit":{"author":{"name":"Mona","date":\
        "\(make.date())"},"tree":{"sha":"\(make.hex(40))","url":"https://api.github.com/repos/a/b/git/trees/\(make.hex(40))"}\
        ,"verification":{"verified":false,"reason":"unsigned","signature":null}},"parents":[{"sha":"\(make.hex(40))"}]}
        """),
      answer(
        "file of a repository", "/repos/a/b/contents/README.md?ref=main", type,
        """
        {"name":"README.md","sha":"\(make.hex(40))","size":5362,"encoding":"base64","content":\
        "\(Data("# Title\n\nSome text about a library that parses tokens and keys.\n".utf8).base64EncodedString())"}
        """),
      answer(
        "charges", "/v1/charges?limit=3&starting_after=ch_3\(make.base62(23))", type,
        """
        {"object":"list","data":[{"id":"ch_3\(make.base62(23))","amount":2000,"balance_transaction":"txn_3\(make.base62(23))",\
        "customer":"cus_\(make.base62(14))","payment_method":"pm_1\(make.base62(23))","payment_intent":"pi_3\(make.base62(23))",\
        "receipt_url":"https://pay.example.com/receipts/payment/\(make.digits(8))","payment_method_details":{"card":\
        {"brand":"visa","last4":"4242","exp_month":8,"fingerprint":"\(make.base62(16))"}},"created":16\(make.digits(8))}],"has_more":false}
        """),
      answer(
        "tracks", "/v1/tracks/\(make.base62(22))", type,
        """
        {"album":{"id":"\(make.base62(22))","uri":"spotify:album:\(make.base62(22))","images":[{"url":\
        "https://i.scdn.co/image/ab67616d0000b273\(make.hex(24))"}]},"id":"\(make.base62(22))","popularity":71}
        """),
      answer(
        "videos", "/youtube/v3/videos?id=\(make.url64(11))&part=snippet", type,
        """
        {"kind":"youtube#videoListResponse","etag":"\(make.url64(27))","nextPageToken":"CAUQAA","items":[{"id":"\(make.url64(11))"\
        ,"etag":"\(make.url64(27))","snippet":{"channelId":"UC\(make.url64(22))","publishedAt":"\(make.date())"}}]}
        """),
      answer(
        "place", "/maps/api/place/details/json?place_id=ChIJ\(make.url64(23))", type,
        """
        {"result":{"place_id":"ChIJ\(make.url64(23))","photos":[{"photo_reference":"\(make.url64(180))","width":4032}],\
        "geometry":{"location":{"lat":-33.8670522,"lng":151.1957362}},"plus_code":{"global_code":"4RRH46J5+\(make.digits(2))"}}}
        """),
      answer(
        "feed with cursors", "/me/feed?after=\(make.base62(40))", type,
        """
        {"data":[{"id":"\(make.digits(15))_\(make.digits(15))","created_time":"\(make.date())"}],"paging":{"cursors":\
        {"before":"QVFIU\(make.base62(60))","after":"QVFIU\(make.base62(60))"}}}
        """),
      answer(
        "relay", "/graphql", type,
        """
        {"data":{"viewer":{"id":"\(Data("User:\(make.digits(9))".utf8).base64EncodedString())","repositories":{"pageInfo":\
        {"endCursor":"\(Data("cursor:v2:\(make.digits(12))".utf8).base64EncodedString())","hasNextPage":true}}}}}
        """),
      answer(
        "user with UUIDs", "/users/\(make.uuid())", type,
        """
        {"id":"\(make.uuid())","tenant":"\(make.uuid())","email":"someone@example.com","created_at":"\(make.date())","state":\
        "active","code":"NL","session_count":3,"token_type":"bearer","password_changed_at":"\(make.date())","has_password":true}
        """),
      answer(
        "documents", "/db/users/documents", type,
        """
        [{"_id":"\(make.hex(24))","ref":"\(make.ulid())","slug":"how-to-install-python-3-on-ubuntu-22-04","revision":"3-\(make.hex(32))"}]
        """),
      answer(
        "event", "/v2/events/\(make.ulid())", type,
        """
        {"id":"evt_\(make.base62(24))","type":"invoice.paid","request":{"id":"req_\(make.base62(14))","idempotency_key":null},\
        "sequence":"\(make.ulid())"}
        """),
      answer(
        "package", "/left-pad", type,
        """
        {"_id":"left-pad","dist-tags":{"latest":"1.3.0"},"versions":{"1.3.0":{"dist":{"integrity":"sha512-\(make.base64(64))",\
        "shasum":"\(make.hex(40))","tarball":"https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz"}}}}
        """),
      answer(
        "image manifest", "/v2/library/alpine/manifests/3.19", type,
        """
        {"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:\(make.hex(64))",\
        "size":1471},"layers":[{"digest":"sha256:\(make.hex(64))","size":3408729}]}
        """),
      answer(
        "public keys", "/.well-known/jwks.json", type,
        """
        {"keys":[{"kty":"RSA","use":"sig","kid":"\(make.url64(43))","n":"\(make.url64(342))","e":"AQAB","alg":"RS256","x5t":\
        "\(make.url64(27))"},{"kty":"EC","crv":"P-256","kid":"\(make.uuid())","x":"\(make.url64(43))","y":"\(make.url64(43))"}]}
        """),
      answer(
        "OpenID configuration", "/.well-known/openid-configuration", type,
        """
        {"issuer":"https://id.example.com","authorization_endpoint":"https://id.example.com/authorize","token_endpoint":\
        "https://id.example.com/oauth/token","token_endpoint_auth_methods_supported":["client_secret_basic"],\
        "response_types_supported":["code","id_token"],"scopes_supported":["openid","profile"]}
        """),
      answer(
        "schema", "/openapi.json", type,
        """
        {"components":{"schemas":{"Login":{"properties":{"password":{"type":"string","format":"password"},"token":\
        {"type":"string","description":"The token of the session"}}}}}}
        """),
      answer(
        "completion", "/v1/chat/completions", type,
        """
        {"id":"chatcmpl-\(make.base62(29))","system_fingerprint":"fp_\(make.hex(10))","usage":{"prompt_tokens":12,\
        "completion_tokens":34,"total_tokens":46,"max_tokens":4096},"choices":[{"message":{"content":"Hello there, general."}}]}
        """),
      answer(
        "weather", "/data/2.5/weather?lat=52.37&lon=4.89&units=metric", type,
        """
        {"coord":{"lon":4.89,"lat":52.37},"weather":[{"id":804,"icon":"04d"}],"dt":17\(make.digits(8)),"cod":200}
        """),
      answer(
        "error", "/v1/nothing", type,
        """
        {"error":{"code":"resource_missing","message":"No such charge: 'ch_3\(make.base62(23))'","request_log_url":\
        "https://dashboard.example.com/logs/req_\(make.base62(14))?t=17\(make.digits(8))"},"trace_id":"\(make.hex(32))"}
        """),
      answer(
        "polyline", "/directions", type,
        """
        {"routes":[{"overview_polyline":{"points":"a~l~Fjk~uOnzh@vlbBtc~@tsE`vnApw{A`dw@~w\\\\|tNtqf@l{Yd_Fblh@rxo@b}@xxSfytAblk@"},\
        "warnings":[],"summary":"A1"}]}
        """),
      answer(
        "picture in JSON", "/avatar", type,
        """
        {"mime":"image/png","picture":"iVBORw0KGgo\(make.base64(300))","width":32}
        """),
    ]
  }

  private static func fields(_ make: inout Maker) -> [SecretPlace] {
    [
      answer(
        "object of a store", "/bucket/photos/2006/sample.jpg", "text/plain", "x",
        [
          "ETag": "\"\(make.hex(32))\"", "x-amz-id-2": make.base64(56),
          "x-amz-request-id": make.text(Array("0123456789ABCDEF"), 16),
          "x-amz-version-id": make.base62(32), "x-amz-server-side-encryption": "AES256",
        ]),
      answer(
        "page behind a cache", "/", "text/plain", "x",
        [
          "CF-Ray": "\(make.hex(16))-AMS", "X-Amz-Cf-Id": make.base64(40),
          "X-Request-Id": make.uuid(), "ETag": "W/\"\(make.base64(20))\"",
          "Server-Timing": "cdn-cache; desc=HIT, edge; dur=1", "X-Served-By": "cache-ams21083-AMS",
          "Report-To":
            "{\"endpoints\":[{\"url\":\"https://a.nel.cloudflare.com/report/v4?s=\(Self.percent(make.base64(60)))\"}],\"group\":\"cf-nel\"}",
        ]),
      answer(
        "traced", "/a?v=\(make.hex(32))", "text/plain", "x",
        [
          "traceparent": "00-\(make.hex(32))-\(make.hex(16))-01", "X-B3-TraceId": make.hex(32),
          "X-Cloud-Trace-Context": "\(make.hex(32))/\(make.digits(19));o=1",
          "X-Azure-Ref": make.base64(90),
          "x-fb-debug": make.base64(64), "x-guploader-uploadid": make.url64(100),
          "x-goog-hash": "crc32c=AAAAAA==,md5=\(make.base64(16))",
        ]),
      answer(
        "policy", "/", "text/plain", "x",
        [
          "Content-Security-Policy":
            "script-src 'self' 'nonce-\(make.base64(16))' 'sha256-\(make.base64(32))'; report-uri https://csp.example.com/r",
          "Set-Cookie": "lang=en-US; Path=/",
          "WWW-Authenticate": "Bearer realm=\"example\", error=\"invalid_token\"",
          "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
          "Content-Digest": "sha-256=:\(make.base64(32)):",
        ]),
      SecretPlace(
        name: "conditional request",
        request: HTTPRequest(
          url:
            "https://api.example.com/items?page=2&sort=-created_at&fields=id%2Cname&ts=17\(make.digits(8))&v=\(make.hex(8))",
          headerFields: [
            "If-None-Match": "\"\(make.hex(40))\"", "Cookie": "theme=dark; lang=en-US",
            "User-Agent":
              "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36",
            "X-Request-Id": make.hex(32),
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
            "Sec-CH-UA": "\"Chromium\";v=\"124\", \"Not-A.Brand\";v=\"99\"",
            "Authorization": "Bearer x",
          ]),
        answer: .respond(304)),
      SecretPlace(
        name: "redirect", request: HTTPRequest(url: "https://short.example/\(make.base62(7))"),
        answer: .redirect(
          to:
            "https://shop.example/p/blue-suede-shoes-42?utm_source=mail&utm_campaign=spring24&gclid=\(make.digits(12))"
        )),
      SecretPlace(
        name: "search form",
        request: HTTPRequest(
          method: .post, url: "https://shop.example/search",
          headerFields: [.contentType: "application/x-www-form-urlencoded"]),
        body: Array("q=blue+shoes&category=shoes&size=42&sort=price_asc&page=1".utf8)),
      SecretPlace(
        name: "order",
        request: HTTPRequest(
          method: .post, url: "https://shop.example/orders",
          headerFields: [.contentType: "application/json", "Idempotency-Key": "order-42"]),
        body: Array(
          "{\"sku\":\"SKU-\(make.digits(6))-XL\",\"quantity\":2,\"address\":{\"street\":\"Main Street 1\",\"zip\":\"1012AB\"},\"total\":59.90}"
            .utf8)),
    ]
  }

  private static func percent(_ text: String) -> String { SecretPlace.encoded(text) }

  private static func texts(_ make: inout Maker) -> [SecretPlace] {
    [
      answer(
        "page", "/login", "text/html; charset=utf-8",
        """
        <!DOCTYPE html><html><head><link rel="stylesheet" href="/assets/application-\(make.hex(64)).css" integrity="sha384-\(make.base64(48))">
        <script src="/static/js/main.\(make.hex(8)).chunk.js" nonce="\(make.base64(16))"></script>
        <script>window.dataLayer=[];gtag('config','G-\(make.text(Array("ABCDEFGHJKLMNP0123456789"), 10))');</script></head>
        <body><form action="/login" method="post"><label for="password">Password</label>
        <input type="password" name="password" id="password" placeholder="Your password" autocomplete="current-password">
        <input type="submit" value="Sign in"></form><img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="></body></html>
        """),
      answer(
        "script", "/static/js/main.\(make.hex(8)).js", "application/javascript",
        """
        !function(e,t){"use strict";var n=t.password,r={password:"Password",token:"Token",apiKey:e.apiKey||null};
        function getElementsByClassNameAndTagNameWithFilter(o){return o.token=r.token,o.session===n?1:0}
        e.exports={"a":"\(make.hex(8))",chunks:{0:"\(make.hex(20))",1:"\(make.hex(20))"},alphabet:
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="};key=t.key;secret:void 0}(this,window);
        //# sourceMappingURL=main.\(make.hex(8)).js.map
        """),
      answer(
        "source map", "/main.js.map", "application/json",
        """
        {"version":3,"sources":["webpack:///./src/index.tsx"],"mappings":"AAAA,SAASA,EAAOC,GACd,OAAOA,EAAEC,MAAM,IAAIC,KAAI,SAAUC,GAAK,OAAOA,EAAEC;AACjD","names":["render"]}
        """),
      answer(
        "style sheet", "/fonts.css", "text/css",
        """
        @font-face{font-family:Roboto;src:url(https://fonts.gstatic.com/s/roboto/v30/KFOmCnqEu92Fr1Mu4mxK\(make.base62(4)).woff2) format('woff2')}
        .css-\(make.hex(6)){background:url(data:image/svg+xml;base64,\(Data("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\"/>".utf8).base64EncodedString()))}
        """),
      answer(
        "drawing", "/icon.svg", "image/svg+xml",
        """
        <svg viewBox="0 0 24 24"><path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 18c-4.41 0-8-3.59-8-8s3.59-8 8-8"/>
        <path d="M19 3H5c-1 0-2 1-2 2v14c0 1 1 2 2 2h14c1 0 2-1 2-2V5c0-1-1-2-2-2zm-9-10h5v2h-8v6h6v2H5v-2M0 0h24v24H0z"/></svg>
        """),
      answer(
        "list of a bucket", "/?list-type=2", "application/xml",
        """
        <?xml version="1.0"?><ListBucketResult><Name>photos</Name><KeyCount>1</KeyCount><Contents><Key>photos/2006/February/sample.jpg</Key>
        <LastModified>\(make.date())</LastModified><ETag>&quot;\(make.hex(32))&quot;</ETag><Owner><ID>\(make.hex(64))</ID></Owner></Contents>
        <NextContinuationToken>\(make.base64(32))</NextContinuationToken></ListBucketResult>
        """),
      answer(
        "error of a bucket", "/none", "application/xml",
        """
        <?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>a.txt</Key>
        <RequestId>\(make.text(Array("0123456789ABCDEF"), 16))</RequestId><HostId>\(make.base64(56))</HostId></Error>
        """),
      answer(
        "news feed", "/feed.xml", "application/rss+xml",
        """
        <rss><channel><item><title>Passwords are dead: tokens and passkeys</title><guid isPermaLink="false">\(make.uuid())</guid>
        <pubDate>Tue, 05 Mar 2024 10:0\(make.digits(1)):00 GMT</pubDate><link>https://blog.example/2024/03/passwords-are-dead</link></item></channel></rss>
        """),
      answer(
        "table", "/export.csv", "text/csv",
        """
        id,name,created_at,amount,hash
        \(make.uuid()),Mona,\(make.date()),12.50,\(make.hex(64))
        \(make.uuid()),Lisa,\(make.date()),7.25,\(make.hex(64))
        """),
      answer(
        "log lines", "/log", "application/x-ndjson",
        """
        {"level":"info","ts":17\(make.digits(8)).123,"msg":"token refreshed","trace":"\(make.hex(32))"}
        {"level":"warn","ts":17\(make.digits(8)).456,"msg":"password: field is required","span":"\(make.hex(16))"}
        """),
      answer(
        "prose", "/help", "text/plain",
        """
        Basic authentication sends user and password: see RFC 7617. Bearer tokens: see RFC 6750. The key is to keep secrets out.
        Commit \(make.hex(40)) of 2024-03-05 fixes it; version 1.2.3-beta.4+build.\(make.digits(4)).
        """),
      answer(
        "certificate", "/ca.pem", "application/x-pem-file",
        """
        -----BEGIN CERTIFICATE-----
        MIID\(make.base64(45))
        \(make.base64(48))
        \(make.base64(48))
        -----END CERTIFICATE-----
        ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI\(make.base62(43)) me@host
        """),
      answer(
        "events", "/stream", "text/event-stream",
        """
        id: \(make.digits(6))
        event: price
        data: {"symbol":"ACME","price":12.5,"at":"\(make.date())","sequence":\(make.digits(9))}

        """),
      answer(
        "server page with data", "/app", "text/html",
        """
        <script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"items":[{"id":"\(make.hex(24))","href":"/p/shoes-42"}]}},\
        "buildId":"\(make.url64(21))","assetPrefix":"/static"}</script><div data-id="\(make.uuid())" class="sc-\(make.hex(6)) key">Key features</div>
        """),
      answer(
        "schedule", "/cal.ics", "text/calendar",
        """
        BEGIN:VCALENDAR
        UID:\(make.uuid())@example.com
        DTSTART:20240305T1\(make.digits(1))0000Z
        SUMMARY:Token ring meeting
        END:VCALENDAR
        """),
    ]
  }

  private static func media(_ make: inout Maker) -> [SecretPlace] {
    func bytes(_ name: String, _ type: String, _ start: [UInt8]) -> SecretPlace {
      SecretPlace(
        name: name, request: HTTPRequest(url: "https://cdn.example.com/\(make.hex(32)).bin"),
        answer: .respond(
          headerFields: [.contentType: type, "ETag": "\"\(make.hex(32))\""],
          body: start + make.bytes(4_000)))
    }
    return [
      bytes("PNG", "image/png", [0x89, 0x50, 0x4E, 0x47]),
      bytes("JPEG", "image/jpeg", [0xFF, 0xD8, 0xFF]),
      bytes("font", "font/woff2", Array("wOF2".utf8)),
      bytes("PDF", "application/pdf", Array("%PDF-1.7\n".utf8)),
      bytes("archive", "application/zip", [0x50, 0x4B, 3, 4]),
      bytes("messages", "application/x-protobuf", [0x0A, 0x10]),
      bytes("video", "video/mp4", [0, 0, 0, 0x20]), bytes("bytes", "application/octet-stream", []),
    ]
  }
}
