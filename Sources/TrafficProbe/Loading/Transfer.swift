import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One load of the app: its request, the exchanges that result, and the way back to the app.
///
/// `@unchecked`: only the session's serial delegate queue changes it, except `stop`, which is locked.
final class Transfer: Cancelling, @unchecked Sendable {
  let loading: ProbeProtocol
  let loader: Loader
  let client: Client
  private struct Stop {
    var isCancelled = false
    var task: URLSessionTask?
  }
  private let stop = Locked(Stop())
  var exchanges: [LoadedExchange] = []
  /// The number of exchanges that were recorded with their end.
  private var recorded = 0
  /// The response that waits to be changed.
  private var held: HeldResponse?
  /// Whether the app got its end, so that it gets no second one.
  var isSettled = false
  #if !canImport(FoundationNetworking)
    var metrics: URLSessionTaskMetrics?
  #endif

  init(_ loading: ProbeProtocol, client: Client, loader: Loader) {
    self.loading = loading
    self.loader = loader
    self.client = client
  }

  /// The request to send: the app's own, rewritten if the app wants that, and marked.
  func ownRequest() -> URLRequest {
    var request = loading.request
    #if !canImport(FoundationNetworking)
      // The system shows a body of data as a stream, which could be sent chunked.
      if request.httpBodyStream != nil, let body = loading.task?.currentRequest?.httpBody { request.httpBody = body }
    #endif
    return Transfer.marked(toOtherAddress(loader.probe.options.rewrite?(request) ?? request))
  }

  /// Takes the task, and returns whether it is still wanted.
  func willStart(_ task: URLSessionTask) -> Bool {
    let isWanted = stop.withLock { stop in
      stop.task = task
      return !stop.isCancelled
    }
    if isWanted { begin(task.originalRequest ?? loading.request, hop: Transfer.hop(of: loading.request)) }
    return isWanted
  }

  /// Writes the row of a request that is about to be sent. So the row exists even if the process dies.
  func begin(_ request: URLRequest, hop: Int) {
    let exchange = LoadedExchange(request, hop: hop, number: loader.probe.nextExchange())
    if let pending = exchange.pending(configuration: loader.configuration) { loader.probe.add(pending) }
    exchanges.append(exchange)
  }

  /// Called by the app's task. It informs its client by itself, and expects no more calls.
  func cancel() {
    client.close()
    cancelTask()
  }

  /// Ends the probe's own task; the client hears of it.
  func cancelTask() {
    let task = stop.withLock { stop in
      stop.isCancelled = true
      return stop.task
    }
    // It is not cancelled from here: the app's task calls on a queue that this task would wait for.
    if let task { loader.cancel(task) }
  }

  /// Runs `body` unless the probe's own task is to be cancelled; no cancellation can come between.
  func unlessCancelled(_ body: () -> Void) {
    stop.withLock { if !$0.isCancelled { body() } }
  }

  func didSend(_ octets: Int) { exchanges[exchanges.count - 1].didSend(octets) }

  func didReceive(_ response: URLResponse) {
    if let response = response as? HTTPURLResponse { exchanges[exchanges.count - 1].didReceive(response) }
    let apps = inAppsView(response)
    if loader.probe.options.rewriteResponse != nil, let http = apps as? HTTPURLResponse {
      held = HeldResponse(http)
    } else {
      client.didReceive(apps)
    }
  }

  func didReceive(_ data: Data) {
    exchanges[exchanges.count - 1].content.add(data)
    guard held != nil else { return client.didReceive(data) }
    if held?.add(data) == false { giveHeld() }
  }

  /// Gives the app the response that waits, unchanged.
  func giveHeld() {
    guard let held else { return }
    self.held = nil
    client.didReceive(held.response)
    client.didReceive(held.content)
  }

  /// Gives the app the response that waits, as its hook changes it.
  private func giveRewritten() {
    guard let held, let change = loader.probe.options.rewriteResponse else { return }
    self.held = nil
    let (response, content) = held.rewritten(for: loading.request, change)
    client.didReceive(response)
    client.didReceive(content)
  }

  func didComplete(_ error: (any Error)?) {
    record(error)
    loading.didEnd()
    guard !isSettled else { return }
    isSettled = true
    if error == nil { giveRewritten() } else { giveHeld() }
    client.didComplete(error)
  }

  /// Records the exchanges that have ended since the last call. Only the last one can have failed, because a redirect answered
  /// the others.
  func record(_ error: (any Error)?) {
    for index in recorded..<exchanges.count {
      exchanges[index].endedAt = Date().timeIntervalSince1970
      let isLast = index == exchanges.count - 1
      #if !canImport(FoundationNetworking)
        if let host = TransactionMetrics.newHost(metrics?.transactionMetrics, at: index) {
          loader.tables.begin(host: host)
        }
      #endif
      var records = exchanges[index].records(
        configuration: loader.configuration, tables: loader.tables, error: isLast && !isSettled ? error : nil)
      #if !canImport(FoundationNetworking)
        TransactionMetrics.apply(metrics?.transactionMetrics, at: index, to: &records)
      #endif
      for record in records { loader.probe.add(record) }
    }
    recorded = exchanges.count
  }
}
