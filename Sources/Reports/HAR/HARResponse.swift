import HTTPReassembly

/// The `response` object of an entry. The exchange starts it, because it knows what came before the final response.
enum HARResponse {
  /// Starts the object with what was before the final response, and what the exchange took in all.
  static func start(_ exchange: Exchange, interim: HARInterim?, to json: inout JSONWriter) {
    json.key("response")
    json.open("{")
    json.key("_wireExchangeIPBytes")
    json.integer(exchange.ipLength)
    interim?.append(to: &json)
  }

  /// Appends the members of a final response, of what it said what was gathered, and ends the object.
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

  /// Appends the members that stand for a final response that was not captured, with status 0 as browsers have it, and ends
  /// the object.
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
