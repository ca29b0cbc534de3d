import CCurl
import TransportPort

/// The work of the driver's thread; everything here is touched by that thread alone.
///
/// No access to what each request changes spans a call that leads back here, so that checks for that
/// would find nothing.
final class CurlLoop {
  private let driver: CurlDriver
  private let configuration: CurlTransport.Configuration
  @exclusivity(unchecked) private var queue: CurlQueue
  @exclusivity(unchecked) private var commands: [CurlDriver.Command] = []
  /// Those that are to be started.
  @exclusivity(unchecked) private var arrivals: [CurlTransfer] = []
  /// How many are started before libcurl is served and commands are looked at again: all handshakes
  /// of a burst in a row would hold up whoever gives up by a tenth of a second and more.
  private static let startsAtOnce = 64
  private var handles: [CurlHandle] = []
  @exclusivity(unchecked) private var idle: [CurlHandle] = []
  @exclusivity(unchecked) private var touched: [CurlHandle] = []
  private var starved: [ObjectIdentifier: CurlHandle] = [:]
  @exclusivity(unchecked) private var waiters: [CurlTransfer.Waiter] = []
  /// Whether libcurl was given something to do since it was last called.
  @exclusivity(unchecked) private var hasNews = false
  private var isShutDown = false
  /// How many waits in a row were shorter than ``shortWait``.
  private var shortWaits = 0
  private static let shortWait = Duration.microseconds(100)

  /// The sockets of all connections.
  @exclusivity(unchecked) var sockets = CurlSockets()

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
      carryOutCommands()
      guard !isShutDown else { break }
      startArrivals()
      hasNews = false
      var running: Int32 = 0
      curl_multi_perform(driver.multi, &running)
      settle()
      resumeWaiters()
      if !hasNews, arrivals.isEmpty { wait(running: running) }
    }
    let (commands, finish) = driver.end()
    for command in commands { carryOut(command) }
    for transfer in arrivals {
      if case .arrived = transfer.place { end(waiting: transfer) }
    }
    arrivals = []
    for transfer in queue.removeAll() { end(waiting: transfer) }
    for handle in handles { finishRunning(handle, failure: handle.shutDownError()) }
    resumeWaiters()
    handles = []
    idle = []
    curl_multi_cleanup(driver.multi)
    finish()
  }

  /// Waits for sockets, for libcurl's own timers and for commands.
  ///
  /// Of one exchange after the other, most of the time goes to falling asleep and being woken, where
  /// the server is near: so after some short waits the thread stays awake for as long as those were.
  /// Several exchanges at a time share an awakening.
  private func wait(running: Int32) {
    let start = ContinuousClock.now
    if running <= 1, shortWaits >= 4 {
      var ready: Int32 = 0
      repeat {
        curl_multi_poll(driver.multi, nil, 0, 0, &ready)
        if ready > 0 || driver.hasCommands { return }
      } while start.duration(to: .now) < Self.shortWait
    }
    if driver.beginWaiting() { curl_multi_poll(driver.multi, nil, 0, 60_000, nil) }
    shortWaits = start.duration(to: .now) < Self.shortWait ? shortWaits + 1 : 0
  }

  /// Notes that a handle has something to deliver.
  func touch(_ handle: CurlHandle) {
    touched.append(handle)
  }

  /// Notes that a handle has nothing to send at the moment.
  ///
  /// While that is so, libcurl does not mind that the peer ends the connection.
  func starve(_ handle: CurlHandle) {
    starved[ObjectIdentifier(handle)] = handle
  }

  /// Tells all that are on a connection that its server takes no stream after one.
  func goAway(_ port: Int32, lastStream: Int) {
    for handle in handles { handle.goAway(port, lastStream: lastStream) }
  }

  /// Notes a caller to be resumed.
  ///
  /// That is done for all of them when libcurl was served, one right after the other: the system
  /// wakes a thread for the first, and that thread finds the others.
  func resume(_ waiter: CurlTransfer.Waiter?) {
    if let waiter { waiters.append(waiter) }
  }

  private func resumeWaiters() {
    for waiter in waiters { waiter.resume() }
    waiters.removeAll(keepingCapacity: true)
  }

  /// Carries out what there is, and some of what comes of it.
  ///
  /// A task on this thread that got an answer often asks again, and libcurl had better be called
  /// once for all of them: it looks at every handle each time. But it must be called.
  private func carryOutCommands() {
    for _ in 1...4 {
      driver.takeCommands(into: &commands)
      guard !commands.isEmpty else { return }
      for command in commands { carryOut(command) }
      resumeWaiters()
    }
  }

  private func carryOut(_ command: CurlDriver.Command) {
    switch command {
    case .start(let transfer):
      if isShutDown {
        end(waiting: transfer)
      } else {
        transfer.place = .arrived
        arrivals.append(transfer)
      }
    case .unpause(let transfer):
      guard case .running(let handle) = transfer.place else { return }
      handle.unpause()
    case .cancel(let transfer):
      if case .running(let handle) = transfer.place {
        finishRunning(handle, failure: handle.error(.cancelled, "the exchange was cancelled"))
      } else {
        end(transfer, Self.cancelled(transfer))
      }
    case .abort(let transfer, let error):
      end(transfer, error)
    case .run(let job):
      job.runSynchronously(on: driver.asUnownedTaskExecutor())
    case .shutDown:
      isShutDown = true
    }
  }

  /// Starts the next of those that have arrived, or puts them in line.
  private func startArrivals() {
    guard !arrivals.isEmpty else { return }
    for transfer in arrivals.prefix(Self.startsAtOnce) {
      guard case .arrived = transfer.place else { continue }
      transfer.place = .nowhere
      if transfer.isCancelled {
        resume(transfer.finish(.failed(Self.cancelled(transfer))))
      } else if let lane = queue.add(transfer) {
        start(transfer, in: lane)
      }
    }
    arrivals.removeFirst(min(Self.startsAtOnce, arrivals.count))
  }

  private func start(_ transfer: CurlTransfer, in lane: CurlQueue.Lane) {
    let handle: CurlHandle
    do throws(TransportError) {
      // Not `??`, which forgets the type of the error.
      if let kept = idle.popLast() { handle = kept } else { handle = try makeHandle() }
    } catch {
      queue.release(lane)
      resume(transfer.finish(.failed(error)))
      return
    }
    handle.begin(transfer, in: lane)
    hasNews = true
    let code = curl_multi_add_handle(driver.multi, handle.easy)
    if code != CURLM_OK {
      finishRunning(
        handle, failure: handle.error(.other, "libcurl refuses the request", code: code.rawValue))
    }
  }

  private func makeHandle() throws(TransportError) -> CurlHandle {
    let handle = try CurlHandle(configuration, loop: self)
    handles.append(handle)
    return handle
  }

  /// Ends what libcurl has finished, starts what waited for it, and delivers what came.
  private func settle() {
    var code = CURLE_OK
    while let easy = ccurl_next_finished(driver.multi, &code) {
      guard let pointer = ccurl_private(easy) else { continue }
      let handle = Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue()
      if handle.needsFreshConnection {
        curl_multi_remove_handle(driver.multi, handle.easy)
        handle.avoidKeptConnections()
        curl_multi_add_handle(driver.multi, handle.easy)
        hasNews = true
      } else {
        finishRunning(handle, code: code)
      }
    }
    for handle in touched {
      handle.deliver()
      guard handle.isOver else { continue }
      breakOff(handle)
      hasNews = true
    }
    touched.removeAll(keepingCapacity: true)
    guard !starved.isEmpty else { return }
    starved = starved.filter { $0.value.outgoing.isStarved }
    for handle in starved.values where handle.isCutWhileStarved {
      breakOff(handle)
      hasNews = true
    }
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
    let port = handle.outgoing.port
    handle.closeUnlessShared()
    finishRunning(handle, code: CURLE_OK)
    handles.first { $0.outgoing.port == port && $0.canFlush }?.flush()
  }

  private func finishRunning(_ handle: CurlHandle, code: CURLcode) {
    guard let lane = handle.lane else { return }
    let ending = handle.ending(code)
    if handle.incoming.isMultiplexed { queue.noteMultiplexing(lane) }
    curl_multi_remove_handle(driver.multi, handle.easy)
    handle.finish(ending)
    if handle.isSpent { handles.removeAll { $0 === handle } } else { idle.append(handle) }
    queue.release(lane)
    guard !isShutDown else { return }
    while let (next, lane) = queue.next() {
      if next.isCancelled {
        queue.release(lane)
        next.place = .nowhere
        resume(next.finish(.failed(Self.cancelled(next))))
      } else {
        start(next, in: lane)
      }
    }
  }

  /// Ends a transfer, wherever it is.
  private func end(_ transfer: CurlTransfer, _ error: TransportError) {
    switch transfer.place {
    case .running(let handle):
      finishRunning(handle, failure: error)
    case .waiting(let lane, let ticket):
      queue.remove(ticket: ticket, from: lane)
      resume(transfer.finish(.failed(error)))
    case .arrived:
      transfer.place = .nowhere
      resume(transfer.finish(.failed(error)))
    case .nowhere: break
    }
  }

  private func end(waiting transfer: CurlTransfer) {
    transfer.place = .nowhere
    resume(transfer.finish(.failed(transfer.shutDownError(phase: .preparing, bytesSent: false))))
  }

  private static func cancelled(_ transfer: CurlTransfer) -> TransportError {
    transfer.wire.error(
      .cancelled, phase: .preparing, bytesSent: false,
      detail: "the exchange was cancelled while it waited for a connection")
  }
}
