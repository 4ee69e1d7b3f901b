#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  /// A load through the system's own protocol, on the app's own task, which is watched on its way back.
  ///
  /// On Linux a protocol cannot see the body of an upload task, and cannot give a download task its file. Only the system's own
  /// protocol can. It follows redirects by itself, so only the last exchange of a chain is recorded, and the record says
  /// `redirects`. Rewriting does not affect these tasks.
  ///
  /// `@unchecked`: the loading system calls it on the task's serial queue.
  final class PassThrough: NSObject, Cancelling, @unchecked Sendable {
    private let loading: ProbeProtocol
    private let loader: Loader
    private let task: URLSessionTask
    private var native: URLProtocol?
    private var exchange: LoadedExchange
    private var isRecorded = false
    private var isFromCache = false

    init(_ loading: ProbeProtocol, task: URLSessionTask, loader: Loader) {
      self.loading = loading
      self.loader = loader
      self.task = task
      exchange = LoadedExchange(loading.request, hop: 0, number: loader.probe.nextExchange())
      super.init()
    }

    func start() {
      let classes = URLSessionConfiguration.default.protocolClasses ?? []
      let native = classes.lazy.compactMap { $0 as? URLProtocol.Type }
        .first { !($0 is ProbeProtocol.Type) && $0.canInit(with: self.loading.request) }
      guard let native else {
        loading.didEnd()
        loading.client?.urlProtocol(loading, didFailWithError: URLError(.unsupportedURL))
        return
      }
      self.native = native.init(task: task, cachedResponse: loading.cachedResponse, client: self)
      self.native?.startLoading()
      // The task knows the length of its body only now.
      guard !isRecorded else { return }
      fillBody(isRedirected: false)
      if let pending = exchange.pending(configuration: loader.configuration) { loader.probe.add(pending) }
    }

    func cancel() {
      native?.stopLoading()
      didEnd(URLError(.cancelled))
    }

    /// Records, and releases the two protocols, which hold this object.
    private func didEnd(_ error: (any Error)?) {
      record(error)
      native = nil
      loading.didEnd()
    }

    /// Passes a call on, on the task's work queue.
    ///
    /// A task that is being cancelled gets no call. It will hear of its failure, which ends the process if the task had another
    /// end before.
    private func tell(_ what: (any URLProtocolClient) -> Void) {
      if task.state != .canceling, let client = loading.client { what(client) }
    }

    private func record(_ error: (any Error)?) {
      guard !isRecorded else { return }
      isRecorded = true
      let first = exchange.request.url
      exchange.request = task.currentRequest ?? exchange.request
      let isRedirected = exchange.request.url != first
      fillBody(isRedirected: isRedirected)
      if let response = task.response as? HTTPURLResponse {
        if exchange.response == nil { exchange.didReceive(response) }
      }
      exchange.endedAt = Date().timeIntervalSince1970
      guard task is URLSessionDownloadTask, !isFromCache, exchange.response != nil else {
        return add(error, isRedirected: isRedirected)
      }
      if let file = native.flatMap(DownloadedFile.init) {
        // Nothing else uses the exchange any more, and the task's queue has other work.
        PassThrough.reading.async { [self] in
          file.read(into: &exchange.content)
          add(error, isRedirected: isRedirected)
        }
      } else {
        let length = exchange.response.flatMap { ResponseBody.field("Content-Length", of: $0) }.flatMap { Int($0) } ?? 0
        exchange.content.addUnseen(max(0, length))
        add(error, isRedirected: isRedirected)
      }
    }

    /// The queue on which files of downloads are read.
    private static let reading = DispatchQueue(label: "TrafficProbe.reading", qos: .utility)

    private func add(_ error: (any Error)?, isRedirected: Bool) {
      for var record in exchange.records(
        configuration: loader.configuration, tables: loader.tables, error: error)
      {
        if isFromCache { record.neverWasOnTheWire() }
        if isRedirected { record.unknown = (record.unknown + " redirects").trimmingCharacters(in: .whitespaces) }
        loader.probe.add(record)
      }
    }

    private func fillBody(isRedirected: Bool) {
      guard task is URLSessionUploadTask, !isRedirected else { return }
      let expected = Int(clamping: task.countOfBytesExpectedToSend)
      exchange.sent = Int(clamping: task.countOfBytesSent)
      exchange.body = expected > 0 ? .data(expected) : exchange.sent > 0 ? .stream : .none
      exchange.isUpload = expected > 0
      exchange.isFromDelegate = exchange.body == .stream && exchange.request.httpBodyStream == nil
      exchange.framing = nil
    }
  }

  extension PassThrough: URLProtocolClient {
    func urlProtocol(_ native: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse) {
      // This is never called: the native protocol follows redirects by itself, and the client behind it would end the process.
    }

    func urlProtocol(_ native: URLProtocol, cachedResponseIsValid response: CachedURLResponse) {
      isFromCache = true
      tell { $0.urlProtocol(native, cachedResponseIsValid: response) }
    }

    func urlProtocol(
      _ native: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
      if !isRecorded, let response = response as? HTTPURLResponse { exchange.didReceive(response) }
      tell { $0.urlProtocol(native, didReceive: response, cacheStoragePolicy: policy) }
    }

    func urlProtocol(_ native: URLProtocol, didLoad data: Data) {
      if !isRecorded { exchange.content.add(data) }
      tell { $0.urlProtocol(native, didLoad: data) }
    }

    func urlProtocolDidFinishLoading(_ native: URLProtocol) {
      didEnd(nil)
      tell { $0.urlProtocolDidFinishLoading(native) }
    }

    func urlProtocol(_ native: URLProtocol, didFailWithError error: any Error) {
      didEnd(error)
      tell { $0.urlProtocol(native, didFailWithError: error) }
    }

    func urlProtocol(_ native: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
      didEnd(nil)
      tell { $0.urlProtocol(native, didReceive: challenge) }
    }

    func urlProtocol(_ native: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
      tell { $0.urlProtocol(native, didCancel: challenge) }
    }
  }
#endif
