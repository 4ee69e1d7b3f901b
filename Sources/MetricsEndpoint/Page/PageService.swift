/// Answers requests with the page, or with updates as they come (server-sent events, HTML Living Standard §9.2).
///
/// At most one page is on its way to a viewer. A slow viewer gets the newest page after it has taken the last one, and misses the pages
/// between.
struct PageService: Service {
  let gate: PageGate
  let content: PageContent

  /// The answer to an address without the run's token. It says nothing about the run.
  private static let notFound = """
    <!doctype html><html lang="en"><meta charset="utf-8"><title>Not the page's address</title>
    <h1>Not the page's address</h1>
    The address lacks the token of this run, or has that of an earlier one. Each run of sniffer prints its own: use that line.

    """

  func respond(to request: RequestHead) -> Response {
    switch gate.decide(request) {
    case .refused(let status):
      // A refused client has no further request.
      var response = Response(status: status, fields: Self.fields(ofType: "text/html"), isLast: true)
      if status == 404 { response.content = [Array(Self.notFound.utf8)] }
      if status == 405 { response.fields.append(("allow", "GET, HEAD")) }
      return response
    case .page:
      return Response(
        fields: Self.fields(ofType: "text/html"), content: [content.head, content.data.octets, content.tail])
    case .events(let version):
      guard content.addViewer() else {
        return Response(status: 503, fields: Self.fields(ofType: "text/html"), isLast: true)
      }
      return Response(
        fields: Self.fields(ofType: "text/event-stream") + [("x-accel-buffering", "no")],
        content: [Array("retry: 2000\n\n".utf8)], follows: version)
    }
  }

  func update(after number: Int) -> Update? {
    let data = content.data
    guard data.version > number else { return nil }
    return Update(
      content: [Array("id: \(data.version)\ndata: ".utf8), data.octets, Array("\n\n".utf8)], number: data.version,
      isLast: data.isLast)
  }

  func followerLeft() { content.removeViewer() }

  /// The fields of every response. They forbid storage, use by other sites, frames and a guess of the content type.
  private static func fields(ofType type: String) -> [(name: String, value: String)] {
    [
      ("content-type", "\(type); charset=utf-8"), ("cache-control", "no-store"), ("x-content-type-options", "nosniff"),
      ("content-security-policy", "frame-ancestors 'none'"), ("x-frame-options", "DENY"),
      ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin"),
      ("cross-origin-opener-policy", "same-origin"),
    ]
  }
}
