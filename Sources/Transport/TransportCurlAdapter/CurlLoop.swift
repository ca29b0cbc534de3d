import CCurl
import TransportPort

/// The event loop of the driver thread, which owns the multi handle and all easy handles.
///
/// One turn has a fixed order: carry out commands, start transfers, let libcurl read and write,
/// finish and deliver, resume callers, block. libcurl's callbacks run inside `curl_multi_perform`.
/// They must not add or remove handles, so they only record state, which `settle()` acts on
/// afterwards.
///
/// Only the driver thread uses this class. Exclusivity checks are disabled where each request pays
/// for them: no access spans a call that leads back to the same property.
///
/// A comment on an optimisation names the line of `Benchmarks/run transport` that measures it, in
/// parentheses.
final class CurlLoop {
  private let driver: CurlDriver
  private let configuration: CurlTransport.Configuration
  @exclusivity(unchecked) private var queue: CurlQueue
  @exclusivity(unchecked) private var commands: [CurlDriver.Command] = []
  /// The transfers to start.
  @exclusivity(unchecked) private var arrivals: [CurlTransfer] = []
  /// The number of transfers to start in one turn.
  ///
  /// Without a limit, the handshakes of a burst of 1,000 requests delay the next command, such as a
  /// cancellation, by more than 100 ms ("1,000 concurrent, 1 KiB").
  private static let startsPerTurn = 64
  private var handles: [CurlHandle] = []
  @exclusivity(unchecked) private var idle: [CurlHandle] = []
  @exclusivity(unchecked) private var undelivered: [CurlHandle] = []
  /// The transfers over HTTP/2 whose content has arrived, and how long they wait for the end of their stream.
  private var waitingForEnd: [(handle: CurlHandle, until: ContinuousClock.Instant)] = []
  private var waitingForContent: [ObjectIdentifier: CurlHandle] = [:]
  @exclusivity(unchecked) private var waiters: [CurlTransfer.Waiter] = []
  /// Whether a transfer was started since libcurl was last called.
  ///
  /// libcurl's own timer would end the wait, but not the polling before it.
  @exclusivity(unchecked) private var needsPerform = false
  /// Whether queued transfers may start at the end of this turn.
  @exclusivity(unchecked) private var mayStartQueued = false
  private var isShutDown = false
  /// The number of consecutive waits that were shorter than ``shortWait``.
  private var shortWaits = 0
  private static let shortWait = Duration.microseconds(100)
  /// The number of consecutive waits that ended without an event.
  private var quietTurns: Int32 = 0
  /// The number of running transfers that may share a connection.
  private var offeringHTTP2 = 0

  @exclusivity(unchecked) var connections: CurlConnections
  /// The final head that was received last, of any transfer.
  ///
  /// One for all handles stays in the processor's cache ("64 concurrent, 1 KiB").
  @exclusivity(unchecked) var lastHead: HeadCache.Head?
  /// Whether the frames of HTTP/2 connections can be seen.
  let canTapHTTP2: Bool
  /// Memory for one TLS record.
  private let record = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 1)
  /// The number of consecutive turns in which libcurl left input unread.
  private var unreadTurns = 0
  /// Whether libcurl runs its transfers.
  private var isPerforming = false
  /// Whether a tap has read a record meanwhile.
  private var hasReadAhead = false
  /// The transfers that libcurl gave to a connection without settings.
  private var waitingForSettings: [(handle: CurlHandle, connection: CurlConnection)] = []
  /// The transfers whose stream was refused, which wait for the end of another to their origin.
  private var refused: [CurlHandle] = []

  init(_ driver: CurlDriver, _ configuration: CurlTransport.Configuration) {
    self.driver = driver
    self.configuration = configuration
    self.queue = CurlQueue(configuration)
    self.canTapHTTP2 = configuration.canTapHTTP2
    self.connections = CurlConnections(localPorts: configuration.localPorts)
    let limits = configuration.limits
    // Otherwise `curl_multi_cleanup` waits for the threads of abandoned lookups. Before 8.20, libcurl does not.
    ccurl_set_multi(driver.multi, ccurl_multi_option_quick_exit, 1)
    ccurl_set_multi(driver.multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.total)
    ccurl_set_multi(driver.multi, CURLMOPT_MAXCONNECTS, limits.total)
    ccurl_set_multi(driver.multi, CURLMOPT_MAX_HOST_CONNECTIONS, limits.perOrigin)
    ccurl_set_multi(
      driver.multi, CURLMOPT_MAX_CONCURRENT_STREAMS, max(1, configuration.maximumStreamsPerOrigin))
  }

  /// Runs the loop until the shutdown, then ends all transfers and cleans up the multi handle.
  func run() {
    while true {
      carryOutCommands()
      guard !isShutDown else { break }
      let hasInput = readHTTP2()
      startAfterSettings()
      startArrivals()
      needsPerform = hasInput
      var running: Int32 = 0
      isPerforming = true
      curl_multi_perform(driver.multi, &running)
      isPerforming = false
      if hasReadAhead { noteReadAhead() }
      settle()
      resumeWaiters()
      if !needsPerform, arrivals.isEmpty { wait(running: running) }
    }
    let (commands, finish) = driver.end()
    // Commands posted before the queue was closed: their jobs must run, and their transfers must
    // end.
    for command in commands { carryOut(command) }
    for transfer in arrivals + queue.waiting {
      end(transfer, transfer.shutDownError(phase: .preparing, bytesSent: false))
    }
    for handle in handles { finishRunning(handle, failure: handle.shutDownError()) }
    resumeWaiters()
    record.deallocate()
    handles = []
    idle = []
    // After the handles, whose deinitializers clean up easy handles of this multi handle.
    curl_multi_cleanup(driver.multi)
    finish()
  }

  /// Waits for sockets, libcurl's timers or commands.
  ///
  /// For sequential requests to a nearby server, most of the time is spent blocking and waking.
  /// After four short waits in a row the thread polls for up to 100 µs before it blocks. Concurrent
  /// requests do not need this, because one wakeup serves several of them ("sequential, 1 KiB").
  private func wait(running: Int32) {
    let start = ContinuousClock.now
    if running <= 1, shortWaits >= 4 {
      var ready: Int32 = 0
      repeat {
        curl_multi_poll(driver.multi, nil, 0, 0, &ready)
        if ready > 0 || driver.hasCommands {
          quietTurns = 0
          return
        }
      } while start.duration(to: .now) < Self.shortWait
    }
    let limit = longestWait
    if driver.beginWaiting() { curl_multi_poll(driver.multi, nil, 0, limit, nil) }
    let waited = start.duration(to: .now)
    shortWaits = waited < Self.shortWait ? shortWaits + 1 : 0
    guard waited >= .milliseconds(limit) else {
      quietTurns = 0
      return
    }
    quietTurns += 1
    readHeldInput()
  }

  /// Reads the next frames of the HTTP/2 connections, and makes libcurl read them.
  ///
  /// Wakes a server that has sent nothing for a second. HAProxy 2.6 can forget streams when another stream of
  /// their connection is cancelled. It wants to send, its windows and its socket are open, and it does so only
  /// when the next frame arrives.
  ///
  /// - Returns: Whether libcurl has more to read, so that it must be called.
  private func readHTTP2() -> Bool {
    var progress: Set<HTTP2Tap.Progress> = []
    let mayStart = !arrivals.isEmpty || !refused.isEmpty
    for connection in connections.tapped where connection.users > 0 || mayStart {
      guard let tap = connection.tap else { continue }
      var users = handles.filter { $0.outgoing.connection === connection }
      if !tap.isUnread {
        for handle in users where handle.isReset { finishRunning(handle, code: CURLE_OK) }
        users.removeAll { $0.outgoing.connection == nil }
      }
      tap.streams.retainsParts = users.contains(where: \.hasContent)
      for handle in users {
        handle.forgetReceivedParts(tap)
        handle.receiveRest()
      }
      let found = tap.hasNews ? .new : tap.advance(record)
      tap.hasNews = false
      // libcurl holds in memory what it reads for a paused transfer, so it is not given more at once.
      tap.mayReadAhead =
        CurlLibrary.current.readsSeveralRecords && !tap.needsTurn && !tap.isBlind
        && !users.contains(where: \.isReadingPaused)
      guard found != .nothing else {
        if !users.isEmpty, tap.isSilenceOver() {
          users.first(where: \.canReadHeldInput)?.sendPriority()
        }
        continue
      }
      progress.insert(found)
      noteGoAway(tap, users)
      // The input is not in the socket any more, so libcurl would not look for it.
      (users.first(where: \.canReadHeldInput) ?? users.first { $0.canFlush })?.readHeldInput()
    }
    unreadTurns = progress.contains(.new) ? 0 : unreadTurns + 1
    return progress.contains(.new) || progress.contains(.unread) && unreadTurns < 8
  }

  private func noteGoAway(_ tap: HTTP2Tap, _ users: [CurlHandle]) {
    guard let lastStream = tap.takeGoAway() else { return }
    if let lane = users.first?.lane { queue.noteGoAway(lane) }
    for handle in users { handle.goAway(lastStream: lastStream) }
  }

  /// Reads the next record of an HTTP/2 connection while libcurl runs its transfers, once it has read the last one.
  ///
  /// libcurl visits every transfer each time that it is called, so each record would cost a visit of all ("64 concurrent
  /// over HTTP/2, 1 KiB"). A record after which the loop must act is the last one of the turn.
  func readNextRecord(of connection: CurlConnection) {
    guard isPerforming, let tap = connection.tap, tap.mayReadAhead else { return }
    switch tap.advance(record) {
    case .unread: return
    case .nothing:
      // One attempt in a turn.
      tap.mayReadAhead = false
      return
    case .new: break
    }
    hasReadAhead = true
    unreadTurns = 0
    guard tap.needsTurn else { return }
    tap.mayReadAhead = false
    tap.hasNews = true
    noteGoAway(tap, handles.filter { $0.outgoing.connection === connection })
  }

  /// Calls libcurl once more if it has left something of what a tap has read: no socket may become readable for that.
  private func noteReadAhead() {
    hasReadAhead = false
    if connections.tapped.contains(where: { $0.tap?.isUnread == true || $0.tap?.hasNews == true }) {
      needsPerform = true
    }
  }

  /// Starts the transfers that waited for a server's settings.
  private func startAfterSettings() {
    for (handle, connection) in waitingForSettings {
      if let tap = connection.tap, connection.users > 0,
        !tap.isBlind, !tap.isEnded, !tap.hasSettings
      {
        continue
      }
      waitingForSettings.removeAll { $0.handle === handle }
      restart(handle)
    }
  }

  /// Makes libcurl process input over HTTP/2 that it has already read.
  ///
  /// A stream whose input was left in the buffer of its connection is not run before the next event.
  private func readHeldInput() {
    guard offeringHTTP2 > 0 else { return }
    var connections: Set<ObjectIdentifier> = []
    for handle in handles where handle.canReadHeldInput {
      guard let connection = handle.outgoing.connection,
        connections.insert(ObjectIdentifier(connection)).inserted
      else { continue }
      handle.readHeldInput()
    }
  }

  /// The longest time to wait, in milliseconds: one minute, but less after an event over HTTP/2.
  ///
  /// When one stream's input arrives while libcurl reads for another, libcurl sets a timer to run
  /// that stream at once. `add_next_timeout` in lib/multi.c compares times in whole milliseconds, so
  /// `curl_multi_perform` drops a timer that was set in the millisecond in which it began. The stream
  /// then waits for the next event of any kind, although its input has arrived. So after an event
  /// libcurl gets a run within 1 ms, and if nothing happens, again after 2 ms, 4 ms and so on.
  private var longestWait: Int32 {
    guard offeringHTTP2 > 0, quietTurns < 16 else { return 60_000 }
    let end = waitingForEnd.filter { mayEnd($0.handle) }.map(\.until).min()
    let left = end.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
    return min(1 << quietTurns, left.map { Int32(max(1, $0.rounded(.up))) } ?? .max)
  }

  /// Whether a transfer may end early, and the end of its stream is not merely behind content that a
  /// reader of the same connection has not taken.
  private func mayEnd(_ handle: CurlHandle) -> Bool {
    handle.mayEndEarly
      && !handles.contains {
        $0.outgoing.connection === handle.outgoing.connection && $0.isReadingPaused
      }
  }

  /// Ends transfers whose stream should have ended by now.
  private func endWaiting() {
    guard !waitingForEnd.isEmpty else { return }
    let now = ContinuousClock.now
    for (handle, until) in waitingForEnd where until <= now && mayEnd(handle) {
      finishRunning(handle, code: CURLE_OK)
    }
  }

  /// Records that the declared content of a transfer over HTTP/2 has arrived; called once for each
  /// transfer.
  func noteContentEnd(of handle: CurlHandle) {
    waitingForEnd.append((handle, .now + CurlHandle.endGrace))
  }

  /// Schedules a delivery for the end of this turn.
  func scheduleDelivery(of handle: CurlHandle) {
    undelivered.append(handle)
  }

  /// Records that a handle has paused its upload.
  ///
  /// Meanwhile libcurl does not notice that the peer closes the connection, so `settle()` checks.
  func noteWaitingForContent(_ handle: CurlHandle) {
    waitingForContent[ObjectIdentifier(handle)] = handle
  }

  /// Records that a transfer has a connection, which queued transfers may share.
  func noteConnection(of lane: CurlQueue.Lane?) {
    if let lane, queue.noteConnection(lane) { mayStartQueued = true }
  }

  /// Records that an origin speaks HTTP/2, so that queued transfers may share its connection.
  ///
  /// Called at a response's head: the response may last as long as the others wait for it.
  func noteMultiplexing(of lane: CurlQueue.Lane?) {
    if let lane, queue.noteMultiplexing(lane) { mayStartQueued = true }
  }

  /// Schedules the resumption of a caller for the end of this turn.
  ///
  /// Resuming all callers in a row is cheaper: the system wakes one thread of the concurrency pool
  /// for the first, and that thread picks up the others ("64 concurrent, 1 KiB").
  func resume(_ waiter: CurlTransfer.Waiter?) {
    if let waiter { waiters.append(waiter) }
  }

  private func resumeWaiters() {
    for waiter in waiters { waiter.resume() }
    waiters.removeAll(keepingCapacity: true)
  }

  /// Carries out the posted commands and up to three batches that these cause.
  ///
  /// A task on this executor often sends its next request as soon as it has a response. Collecting
  /// such commands saves calls of libcurl, which visits every handle each time ("64 concurrent,
  /// 1 KiB", on its executor). The limit keeps tasks that post forever from starving the network.
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
      transfer.progress.advance(to: .arrived)
      arrivals.append(transfer)
    case .unpause(let transfer):
      guard case .running(let handle) = transfer.progress.stage else { return }
      handle.unpause()
    case .cancel(let transfer):
      // A transfer cancelled before its `start` command is still `posted`, which `end` ignores;
      // `startArrivals` then finds it cancelled.
      if case .running(let handle) = transfer.progress.stage {
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

  /// Starts the next transfers, or queues them if their origin has no free connection.
  private func startArrivals() {
    guard !arrivals.isEmpty else { return }
    for transfer in arrivals.prefix(Self.startsPerTurn) {
      guard case .arrived = transfer.progress.stage else { continue }
      guard !transfer.isCancelled else {
        finish(transfer, Self.cancelled(transfer))
        continue
      }
      switch queue.add(transfer) {
      case .mayStart(let lane): start(transfer, in: lane)
      case .waits(let lane, let ticket):
        transfer.progress.advance(to: .queued(lane, ticket: ticket))
      }
    }
    arrivals.removeFirst(min(Self.startsPerTurn, arrivals.count))
  }

  private func start(_ transfer: CurlTransfer, in lane: CurlQueue.Lane) {
    let handle: CurlHandle
    do throws(TransportError) {
      // `??` would lose the type of the thrown error.
      if let kept = idle.popLast() { handle = kept } else { handle = try makeHandle() }
    } catch {
      queue.release(lane, hadConnection: false)
      finish(transfer, error)
      return
    }
    transfer.progress.advance(to: .running(handle))
    handle.begin(transfer, in: lane)
    if handle.offersHTTP2 { offeringHTTP2 += 1 }
    needsPerform = true
    let code = curl_multi_add_handle(driver.multi, handle.easy)
    if code != CURLM_OK {
      finishRunning(
        handle,
        failure: handle.error(.other, "libcurl could not add the request", code: code.rawValue))
    }
  }

  private func makeHandle() throws(TransportError) -> CurlHandle {
    let handle = try CurlHandle(configuration, loop: self)
    handles.append(handle)
    return handle
  }

  /// Finishes completed transfers, starts queued ones in their place, and delivers what was
  /// received.
  private func settle() {
    var code = CURLE_OK
    while let easy = ccurl_next_finished(driver.multi, &code) {
      guard let pointer = ccurl_private(easy) else { continue }
      let handle = Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue()
      if handle.needsFreshConnection {
        curl_multi_remove_handle(driver.multi, handle.easy)
        handle.prepareFreshConnection()
        restart(handle)
      } else if let connection = handle.takeConnectionWithoutSettings() {
        curl_multi_remove_handle(driver.multi, handle.easy)
        waitingForSettings.append((handle, connection))
      } else if handle.mayTryAgain(code) {
        curl_multi_remove_handle(driver.multi, handle.easy)
        let isRefused = handle.outgoing.isRefused || handle.isStreamRefused
        handle.prepareNextTry()
        // The server allows no more streams than it has accepted.
        if isRefused, handles.contains(where: { isCompeting($0, with: handle) }) {
          refused.append(handle)
        } else {
          restart(handle)
        }
      } else {
        finishRunning(handle, code: code)
      }
    }
    if mayStartQueued { startQueued() }
    for handle in undelivered {
      handle.deliver()
      if handle.isOver { abort(handle) }
    }
    undelivered.removeAll(keepingCapacity: true)
    endWaiting()
    guard !waitingForContent.isEmpty else { return }
    waitingForContent = waitingForContent.filter { $0.value.outgoing.isWaitingForContent }
    for handle in waitingForContent.values where handle.isClosedWhileWaitingForContent {
      abort(handle)
    }
  }

  /// Gives a transfer to libcurl again.
  private func restart(_ handle: CurlHandle) {
    needsPerform = true
    curl_multi_add_handle(driver.multi, handle.easy)
  }

  /// Whether another transfer to the same origin is running, and does not wait after its refusal.
  private func isCompeting(_ other: CurlHandle, with handle: CurlHandle) -> Bool {
    other !== handle && other.lane === handle.lane && !refused.contains { $0 === other }
  }

  private func finishRunning(_ handle: CurlHandle, failure: TransportError) {
    handle.fail(failure)
    abort(handle)
  }

  /// Ends a transfer that libcurl has not completed.
  ///
  /// Its connection may still carry the rest of the response, so it must not be reused. Over HTTP/2
  /// only the stream is reset, but libcurl sends RST_STREAM no earlier than its next frame on the
  /// connection. So another transfer on the connection is made to send one; without another, the
  /// connection is closed.
  private func abort(_ handle: CurlHandle) {
    let connection = handle.outgoing.connection
    handle.closeUnlessShared()
    finishRunning(handle, code: CURLE_OK)
    guard let connection else { return }
    handles.first { $0.outgoing.connection === connection && $0.canFlush }?.flush()
  }

  private func finishRunning(_ handle: CurlHandle, code: CURLcode) {
    guard let lane = handle.lane else { return }
    let ending = handle.ending(code)
    let hadConnection = handle.outgoing.attempts > 0
    if handle.offersHTTP2 { offeringHTTP2 -= 1 }
    handle.discardHeldContent()
    curl_multi_remove_handle(driver.multi, handle.easy)
    handle.transfer?.progress.advance(to: .ended)
    handle.finish(ending)
    refused.removeAll { $0 === handle }
    waitingForEnd.removeAll { $0.handle === handle }
    waitingForSettings.removeAll { $0.handle === handle }
    if let next = refused.firstIndex(where: { $0.lane === lane }) {
      restart(refused.remove(at: next))
    }
    if handle.isSingleUse { handles.removeAll { $0 === handle } } else { idle.append(handle) }
    queue.release(lane, hadConnection: hadConnection)
    startQueued()
  }

  /// Starts the queued transfers that may run now.
  private func startQueued() {
    mayStartQueued = false
    while let (next, lane) = queue.next() { start(next, in: lane) }
  }

  /// Ends a transfer in any stage; one that was not received, or has ended, is left alone.
  private func end(_ transfer: CurlTransfer, _ error: TransportError) {
    switch transfer.progress.stage {
    case .running(let handle):
      finishRunning(handle, failure: error)
    case .queued(let lane, let ticket):
      queue.remove(ticket: ticket, from: lane)
      finish(transfer, error)
    case .arrived:
      finish(transfer, error)
    case .posted, .ended: break
    }
  }

  /// Ends a transfer that has no handle and is not in the queue.
  private func finish(_ transfer: CurlTransfer, _ error: TransportError) {
    transfer.progress.advance(to: .ended)
    resume(transfer.finish(.failed(error)))
  }

  private static func cancelled(_ transfer: CurlTransfer) -> TransportError {
    transfer.wire.error(
      .cancelled, phase: .preparing, bytesSent: false,
      detail: "the exchange was cancelled before it got a connection")
  }
}
