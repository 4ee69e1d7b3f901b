import HTTPReassembly
import Tabular

/// The `request` object of an entry.
enum HARRequest {
  /// Appends a request with its gathered parts.
  static func append(
    _ message: Message, _ said: HARMessageContent?, _ options: Set<HARContent>, body: HARBody?,
    texts: borrowing TextPool, redaction: Redaction?, to json: inout JSONWriter
  ) {
    let line = HARStartLine(said?.startLine ?? [])
    let query = options.contains(.queries) ? message.queryLength.flatMap { line.query(length: $0) } : nil
    let host = texts.octets(message.host)
    let path = texts.octets(message.path)
    json.key("request")
    json.open("{")
    json.key("method")
    json.escaped(texts.octets(message.method))
    json.key("url")
    if host.isEmpty {
      json.plain(HARURL.text(of: message.server, redaction))
    } else {
      json.plain(
        HARURL.text(
          isSecure: message.isSecure, host: redaction?.host(host) ?? host, path: redaction?.path(path) ?? path,
          query: query))
    }
    json.key("httpVersion")
    HARFields.appendVersion(message, texts: texts, to: &json)
    HARFields.append(said?.fields ?? [], cookies: "cookie", to: &json)
    json.key("queryString")
    json.open("[")
    for parameter in (query ?? []).split(separator: UInt8(ascii: "&")) {
      let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      HARFields.appendPair(Array(parts[0]), parts.count > 1 ? Array(parts[1]) : [], to: &json)
    }
    json.close("]")
    if let body {
      json.key("postData")
      json.open("{")
      json.key("mimeType")
      json.escaped(texts.octets(message.contentType))
      body.append(encodingKey: "_wireEncoding", isRequired: true, to: &json)
      json.close("}")
    }
    json.key("headersSize")
    json.integer(HARWire.headersSize(message))
    json.key("bodySize")
    json.integer(HARWire.bodySize(message))
    appendExchange(message.exchange, client: message.client, server: message.server, redaction: redaction, to: &json)
    json.key("_wireHost")
    json.escaped(redaction?.host(host) ?? host)
    json.key("_wirePath")
    json.escaped(redaction?.path(path) ?? path)
    if let length = message.queryLength {
      json.key("_wireQueryBytes")
      json.integer(length)
    }
    if body == nil, message.contentType != .none {
      json.key("_wireContentType")
      json.escaped(texts.octets(message.contentType))
    }
    if said?.isHeaderCut == true {
      json.key("_wireHeadersCut")
      json.boolean(true)
    }
    HARWire.append(message, texts: texts, to: &json)
    json.close("}")
  }

  /// Appends a stand-in for a request that was not captured: HAR needs one, so it has its server only.
  static func appendUnseen(
    _ exchange: Exchange, _ endpoints: Directional<Endpoint>?, redaction: Redaction?, to json: inout JSONWriter
  ) {
    json.key("request")
    json.open("{")
    json.key("method")
    json.name("")
    json.key("url")
    if let endpoints { json.plain(HARURL.text(of: endpoints.server, redaction)) } else { json.name("about:blank") }
    json.key("httpVersion")
    json.name("")
    for key in ["cookies", "headers", "queryString"] {
      json.key(key)
      json.open("[")
      json.close("]")
    }
    json.key("headersSize")
    json.integer(-1)
    json.key("bodySize")
    json.integer(-1)
    json.key("comment")
    json.name("The request was not captured.")
    if let endpoints {
      appendExchange(
        exchange.number, client: endpoints.client, server: endpoints.server, redaction: redaction, to: &json)
    }
    json.close("}")
  }

  private static func appendExchange(
    _ number: Int, client: Endpoint, server: Endpoint, redaction: Redaction?, to json: inout JSONWriter
  ) {
    json.key("_wireExchange")
    json.integer(number)
    json.key("_wireClient")
    json.endpoint(client, redaction)
    json.key("_wireServer")
    json.endpoint(server, redaction)
  }
}

/// The `response` object of an entry. The exchange starts it, because it knows the facts before the final response.
enum HARResponse {
  /// Starts the object with the interim responses, and the sums of the exchange.
  static func start(_ exchange: Exchange, interim: HARInterim?, to json: inout JSONWriter) {
    json.key("response")
    json.open("{")
    json.key("_wireExchangeIPBytes")
    json.integer(exchange.ipLength)
    interim?.append(to: &json)
  }

  /// Appends the members of a final response with its gathered parts, and ends the object.
  static func append(
    _ message: Message, _ said: HARMessageContent?, body: HARBody?, texts: borrowing TextPool, to json: inout JSONWriter
  ) {
    let fields = said?.fields ?? []
    json.key("status")
    json.integer(message.status)
    json.key("statusText")
    json.literal(HARStartLine(said?.startLine ?? []).reason)
    json.key("httpVersion")
    HARFields.appendVersion(message, texts: texts, to: &json)
    HARFields.append(fields, cookies: "set-cookie", to: &json)
    json.key("content")
    json.open("{")
    json.key("size")
    json.integer(message.decodedBody ?? -1)
    if let decoded = message.decodedBody, HARWire.bodySize(message) >= 0 {
      json.key("compression")
      json.integer(decoded - HARWire.bodySize(message))
    }
    json.key("mimeType")
    json.escaped(texts.octets(message.contentType))
    body?.append(encodingKey: "encoding", isRequired: false, to: &json)
    json.close("}")
    json.key("redirectURL")
    json.literal(fields.first { $0.isNamed("location") }?.value ?? [])
    json.key("headersSize")
    json.integer(HARWire.headersSize(message))
    json.key("bodySize")
    json.integer(HARWire.bodySize(message))
    if said?.isHeaderCut == true {
      json.key("_wireHeadersCut")
      json.boolean(true)
    }
    HARWire.append(message, texts: texts, to: &json)
    json.close("}")
  }

  /// Appends a stand-in for a final response that was not captured, with status 0 as in browsers, and ends the object.
  static func appendUnseen(to json: inout JSONWriter) {
    json.key("status")
    json.integer(0)
    for key in ["statusText", "httpVersion", "redirectURL"] {
      json.key(key)
      json.name("")
    }
    for key in ["cookies", "headers"] {
      json.key(key)
      json.open("[")
      json.close("]")
    }
    json.key("content")
    json.open("{")
    json.key("size")
    json.integer(-1)
    json.key("mimeType")
    json.name("")
    json.close("}")
    json.key("headersSize")
    json.integer(-1)
    json.key("bodySize")
    json.integer(-1)
    json.key("comment")
    json.name("No final response was captured.")
    json.close("}")
  }
}
