import CCurl
import TransportPort

/// The work of the driver's thread; everything here is touched by that thread alone.
final class CurlLoop {
  private let driver: CurlDriver
  private let configuration: CurlTransport.Configuration
  private var queue: CurlQueue
  private var running: [ObjectIdentifier: CurlHandle] = [:]
  private var idle: [CurlHandle] = []
  private var touched: [CurlHandle] = []
  private var isShutDown = false

  /// The sockets of all connections.
  var sockets = CurlSockets()

  init(_ driver: CurlDriver, _ configuration: CurlTransport.Configuration) {
    self.driver = driver
    self.configuration = configuration
    self.queue = CurlQueue(configuration)
    let limits = configuration.limits
    ccurl_set_multi(driver.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.total)
    ccurl_set_multi(driver.multi, CURLMOPT_MAXCONNECTS, limits.total)
    ccurl_set_multi(driver.multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.perOrigin)
    ccurl_set_multi(
      driver.multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.maximumStreamsPerOrigin))
  }

  /// Runs until the shutdown.
  func run() {
    while true {
      for command in driver.takeCommands() { carryOut(command) }
      guard !isShutDown else { break }
      var count: Int32 = 0
      curl_multi_perform(driver.multi, &count)
      let hasNews = settle()
      if !hasNews, driver.beginWaiting() {
        // Woken by sockets, by libcurl's own timers and by commands.
        curl_multi_poll(driver.multi, nil, 0, 60_000, nil)
      }
    }
    let (commands, finish) = driver.end()
    for command in commands { carryOut(command) }
    for transfer in queue.removeAll() { end(waiting: transfer) }
    for handle in Array(running.values) {
      finishRunning(handle, failure: handle.shutDownError())
    }
    idle = []
    curl_multi_cleanup(driver.multi)
    finish()
  }

  /// Notes that a handle has something to deliver.
  func touch(_ handle: CurlHandle) {
    touched.append(handle)
  }

  /// Tells all that are on a connection that its server takes no stream after one.
  func goAway(_ port: Int32, lastStream: Int) {
    for handle in running.values { handle.goAway(port, lastStream: lastStream) }
  }

  private func carryOut(_ command: CurlDriver.Command) {
    switch command {
    case .start(let transfer):
      if isShutDown {
        end(waiting: transfer)
      } else if transfer.isCancelled {
        transfer.finish(.failure(Self.cancelled(transfer)))
      } else if queue.add(transfer) {
        start(transfer)
      }
    case .unpause(let transfer):
      transfer.handle?.unpause()
    case .cancel(let transfer):
      if let handle = transfer.handle {
        finishRunning(handle, failure: handle.error(.cancelled, "the exchange was cancelled"))
      } else if queue.remove(transfer) {
        transfer.finish(.failure(Self.cancelled(transfer)))
      }
    case .abort(let transfer, let error):
      if let handle = transfer.handle {
        finishRunning(handle, failure: error)
      } else if queue.remove(transfer) {
        transfer.finish(.failure(error))
      }
    case .shutDown:
      isShutDown = true
    }
  }

  private func start(_ transfer: CurlTransfer) {
    guard let handle = idle.popLast() ?? CurlHandle(configuration, loop: self) else {
      queue.release(transfer.wire.origin)
      transfer.finish(
        .failure(
          transfer.wire.error(
            .other, phase: .preparing, bytesSent: false, detail: "libcurl is out of memory")))
      return
    }
    handle.begin(transfer)
    running[ObjectIdentifier(handle)] = handle
    let code = curl_multi_add_handle(driver.multi, handle.easy)
    if code != CURLM_OK {
      finishRunning(
        handle, failure: handle.error(.other, "libcurl refuses the request", code: code.rawValue))
    }
  }

  /// Ends what libcurl has finished, starts what waited for it, and delivers what came.
  ///
  /// - Returns: Whether libcurl has something new to do.
  private func settle() -> Bool {
    var hasNews = false
    var code = CURLE_OK
    while let easy = ccurl_next_finished(driver.multi, &code) {
      guard let pointer = ccurl_private(easy) else { continue }
      let handle = Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue()
      if handle.needsFreshConnection {
        curl_multi_remove_handle(driver.multi, handle.easy)
        handle.avoidKeptConnections()
        curl_multi_add_handle(driver.multi, handle.easy)
      } else {
        finishRunning(handle, code: code)
      }
      hasNews = true
    }
    if !touched.isEmpty {
      for handle in touched {
        handle.deliver()
        guard handle.isAnsweredEarly else { continue }
        breakOff(handle)
        hasNews = true
      }
      touched.removeAll(keepingCapacity: true)
    }
    return hasNews
  }

  private func finishRunning(_ handle: CurlHandle, failure: TransportError) {
    handle.fail(failure)
    breakOff(handle)
  }

  /// Ends a transfer that libcurl is not done with.
  ///
  /// Over HTTP/2 the stream is reset, but libcurl keeps that to itself until it sends something else
  /// on the connection: so another transfer is made to. Without another, the connection is closed.
  private func breakOff(_ handle: CurlHandle) {
    let port = handle.port
    handle.closeUnlessShared()
    finishRunning(handle, code: CURLE_OK)
    running.values.first { $0.port == port && $0.canFlush }?.flush()
  }

  private func finishRunning(_ handle: CurlHandle, code: CURLcode) {
    guard let transfer = handle.transfer,
      running.removeValue(forKey: ObjectIdentifier(handle)) != nil
    else { return }
    let ending = handle.ending(code)
    if handle.isMultiplexed { queue.noteMultiplexing(transfer.wire.origin) }
    curl_multi_remove_handle(driver.multi, handle.easy)
    handle.finish(ending)
    idle.append(handle)
    queue.release(transfer.wire.origin)
    guard !isShutDown else { return }
    while let next = queue.next() {
      if next.isCancelled {
        queue.release(next.wire.origin)
        next.finish(.failure(Self.cancelled(next)))
      } else {
        start(next)
      }
    }
  }

  private func end(waiting transfer: CurlTransfer) {
    transfer.finish(.failure(transfer.shutDownError(phase: .preparing, bytesSent: false)))
  }

  private static func cancelled(_ transfer: CurlTransfer) -> TransportError {
    transfer.wire.error(
      .cancelled, phase: .preparing, bytesSent: false,
      detail: "the exchange was cancelled while it waited for a connection")
  }
}
