import Foundation
import Testing
import TransportPort
import TransportRecording

@Suite struct ForeignArchiveTests {
  /// Chromium 156 (Debian, headless) loaded a page, and mitmproxy 11.0.2 exported what passed with
  /// its option `hardump`. Chromium's own calls were removed, except one that failed.
  private static var sample: String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Samples/chromium-mitmproxy.har").path
  }

  @Test func `what a real browser did is replayed through policies`() async throws {
    let replay = try ReplayTransport(har: Self.sample)
    let origin = "http://127.0.0.1:18911"
    let page = await Seen(replay, HTTPRequest(url: origin + "/"))
    #expect(page.text.hasPrefix("<!doctype html><title>Shop</title>"))
    #expect(page.fields[values: .setCookie] == ["theme=dark; Path=/", "visits=1; Path=/"])
    #expect(!page.fields.contains(.contentEncoding))
    #expect(page.fields[.contentLength] == String(page.body.count))
    let items = await Seen(replay, HTTPRequest(url: origin + "/items?page=1&sort=name"))
    #expect(items.text == #"{"items": [{"id": 7, "name": "Lampe für Küche"}]}"#)
    let image = await Seen(replay, HTTPRequest(url: origin + "/dot.png"))
    #expect(image.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let order = await Seen(
      replay, HTTPRequest(method: .post, url: origin + "/orders"),
      body: .text(#"{ "note": "grüß", "item": 7 }"#))
    #expect(order.status == 201)
    let moved = await Seen(replay.followingRedirects(), HTTPRequest(url: origin + "/old"))
    #expect(moved.text == "moved here")
    #expect(await Seen(replay, HTTPRequest(url: origin + "/empty")).status == 204)
    #expect(await Seen(replay, HTTPRequest(url: origin + "/favicon.ico")).status == 404)
  }

  @Test func `what Chromium's export adds is read`() async throws {
    let text = #"""
      {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],
      "entries":[
      {"_initiator":{"type":"other","x":[1,{"y":null}]},"_priority":"High","cache":{},
       "connection":"443","startedDateTime":"2026-01-01T00:00:00.000Z","time":1.5e1,
       "request":{"method":"GET","url":"https://h/a","httpVersion":"http/2.0","headersSize":-1,
         "headers":[{"name":":method","value":"GET"},{"name":":authority","value":"h"}],
         "queryString":[],"cookies":[],"bodySize":0},
       "response":{"status":200,"statusText":"","httpVersion":"http/2.0","headersSize":-1,
         "headers":[{"name":":status","value":"200"},{"name":"content-encoding","value":"br"},
           {"name":"content-length","value":"3"},{"name":"set-cookie","value":"a=1\nb=2"}],
         "cookies":[],"content":{"size":5,"mimeType":"text/plain","text":"aGVsbG8=",
           "encoding":"base64"},
         "redirectURL":"","bodySize":-1,"_transferSize":99,"_error":null,
         "_fetchedViaServiceWorker":false},
       "serverIPAddress":"[::1]","timings":{"blocked":-1,"dns":-1,"wait":1,"_x":0}},
      {"_fromCache":"memory","startedDateTime":"2026-01-01T00:00:01.000Z",
       "request":{"method":"GET","url":"https://h/a","headers":[],"bodySize":0},
       "response":{"status":0,"statusText":"","headers":[],"content":{"size":0,"mimeType":"x"}}},
      {"startedDateTime":"2026-01-01T00:00:02.000Z",
       "request":{"method":"GET","url":"https://h/blocked","headers":[],"bodySize":0},
       "response":{"status":0,"headers":[],"content":{"size":0},
         "_error":"net::ERR_CONNECTION_REFUSED"}},
      {"startedDateTime":"2026-01-01T00:00:03.000Z",
       "request":{"method":"POST","url":"https://h/form","headers":[],"bodySize":9,
         "postData":{"mimeType":"application/x-www-form-urlencoded",
           "params":[{"name":"a b","value":"1&2"}]}},
       "response":{"status":200,"headers":[],"content":{"size":7,"mimeType":"text/plain"}}},
      {"startedDateTime":"2026-01-01T00:00:04.000Z",
       "request":{"method":"GET","url":"chrome-extension://x/a.js","headers":[],"bodySize":0},
       "response":{"status":200,"headers":[],"content":{"size":0}}},
      {"startedDateTime":"2026-01-01T00:00:05.000Z",
       "request":{"method":"POST","url":"https://h/upload","headers":[],"bodySize":-1},
       "response":{"status":200,"headers":[],"content":{"size":2,"text":"up"}}}
      ]}}
      """#
    let replay = ReplayTransport(try HTTPArchive(Array(text.utf8)))
    for _ in 0..<2 {
      let seen = await Seen(replay, HTTPRequest(url: "https://h/a"))
      #expect(seen.text == "hello")
      #expect(seen.fields == ["content-length": "5", "set-cookie": "a=1", "Set-Cookie": "b=2"])
    }
    #expect(
      await Seen(replay, HTTPRequest(url: "https://h/blocked")).failure == .connectionRefused)
    let form = await Seen(
      replay, HTTPRequest(method: .post, url: "https://h/form"), body: .text("a+b=1%262"))
    #expect(form.status == 200)
    #expect(form.error?.detail.contains("has no content") == true)
    #expect(
      await Seen(
        replay, HTTPRequest(method: .post, url: "https://h/upload"), body: .text("anything")
      ).text == "up")
  }
}
