import Foundation
import HTTPReassembly
import Reports
import Testing

/// The files as `INTERFACE.md` says that scripts may rely on them.
@Suite struct CSVReportTests {
  private let folder = TemporaryFolder()
  private var texts = TextPool()

  private func report(method: Bool = false) throws -> CSVReport {
    try CSVReport(folder: folder.path, grouping: .init(path: true, method: method))
  }

  @Test mutating func aRequestAndAResponse() throws {
    var request = Message()
    request.number = 1
    request.exchange = 1
    request.connection = 3
    request.firstTime = 1_700_000_000_123_456_789
    request.lastTime = 1_700_000_000_123_456_790
    request.client = client
    request.server = server
    request.isSecure = true
    request.method = texts.intern("GET")
    request.host = texts.intern("api.example.com")
    request.hostSource = .hostField
    request.path = texts.intern("/users/42")
    request.queryLength = 0
    request.version = texts.intern("HTTP/1.1")
    request.octets.startLine = 20
    request.octets.header = 100
    request.overhead = 40
    var response = request
    response.number = 2
    response.kind = .response
    response.queryLength = nil
    response.status = 200
    response.contentType = texts.intern("application/json; charset=\"utf-8\"")
    response.contentEncoding = texts.intern("gzip, br")
    response.transferEncoding = texts.intern("chunked")
    response.octets.body = 1000
    response.octets.framing = 12
    response.octets.trailer = 7
    response.decodedBody = 5000
    response.retransmitted = 10
    response.missing = 3
    response.unseen = 4
    response.pairing = .inferred
    response.exactness = .inferred
    response.flags = [.incomplete, .closeDelimited, .evicted]
    let report = try report()
    try report.message(response, texts: texts)
    try report.message(request, texts: texts)
    try report.finish(emptyTotals())

    #expect(
      folder.text("messages.csv") == """
        message,exchange,connection,type,first_time,last_time,client,server,scheme,method,host,host_source,path,\
        query_bytes,status,version,content_type,content_encoding,transfer_encoding,start_line_bytes,header_bytes,\
        body_bytes,framing_bytes,trailer_bytes,message_bytes,decoded_body_bytes,retransmitted_bytes,overhead_bytes,\
        ip_bytes,missing_bytes,exactness,flags,stream,tls_bytes,control_bytes,expanded_start_line_bytes,\
        expanded_header_bytes,unseen_bytes,pairing,api_path,grpc_messages,grpc_status,process,pid,app,\
        process_source,tunnel_bytes\r
        1,1,3,request,1700000000123456789,1700000000123456790,10.0.0.1:50000,[2001:db8::1]:443,https,GET,\
        api.example.com,host,/users/42,0,,HTTP/1.1,,,,20,100,0,0,0,120,,0,40,160,0,exact,,,0,0,20,\
        100,0,exact,,,,,,,,0\r
        2,1,3,response,1700000000123456789,1700000000123456790,10.0.0.1:50000,[2001:db8::1]:443,https,GET,\
        api.example.com,host,/users/42,,200,HTTP/1.1,"application/json; charset=""utf-8""\","gzip, br",chunked,20,\
        100,1000,12,7,1139,5000,10,40,1189,3,inferred,incomplete close_delimited evicted,,0,0,20,100,4,inferred,,,,,,,,0\r

        """)
  }

  @Test mutating func anInterimResponse() throws {
    var message = Message()
    message.number = 1
    message.exchange = 1
    message.connection = 1
    message.kind = .interim
    message.status = 103
    message.octets.startLine = 25
    message.octets.header = 2
    let report = try report()
    try report.message(message, texts: texts)
    try report.finish(emptyTotals())
    #expect(
      folder.rows("messages.csv") == [
        "1,1,1,interim,0,0,[::]:0,[::]:0,http,,,,,,103,,,,,25,2,0,0,0,27,,0,0,27,0,exact,,,0,0,25,2,0,exact,,,,,,,,0"
      ])
  }

  @Test mutating func exchanges() throws {
    var exchange = Exchange()
    exchange.number = 1
    exchange.connection = 4
    exchange.request = 1
    exchange.response = 2
    exchange.method = texts.intern("POST")
    exchange.host = texts.intern("h")
    exchange.path = texts.intern("/p")
    exchange.version = texts.intern("HTTP/1.1")
    exchange.status = 404
    exchange.started = 17
    exchange.timings.connect = 250_000
    exchange.timings.send = 0
    exchange.timings.wait = 1_234_567_891
    exchange.timings.receive = 1
    exchange.requestLength = 10
    exchange.responseLength = 20
    exchange.ipLength = 110
    var alone = Exchange()
    alone.number = 2
    alone.connection = 4
    alone.response = 3
    exchange.events = 5
    alone.pairing = .unknown
    let report = try report()
    try report.exchange(alone, texts: texts)
    try report.exchange(exchange, texts: texts)
    try report.finish(emptyTotals())
    #expect(
      folder.text("exchanges.csv") == """
        exchange,connection,request,response,method,host,path,status,started,dns_ms,connect_ms,tls_ms,send_ms,wait_ms,\
        receive_ms,request_bytes,response_bytes,ip_bytes,stream,version,pairing,api_path,process,tunnel_bytes,\
        events\r
        1,4,1,2,POST,h,/p,404,17,,0.25,,0,1234.567891,0.000001,10,20,110,,HTTP/1.1,exact,,,0,5\r
        2,4,,3,,,,,0,,,,,,,0,0,0,,,unknown,,,0,\r

        """)
  }

  @Test mutating func connections() throws {
    var connection = Connection()
    connection.number = 1
    connection.client = client
    connection.server = server
    connection.applicationProtocol = .http1
    connection.opened = 1
    connection.closed = 2
    connection.packets = .init(client: 3, server: 4)
    connection.ipLength = .init(client: 5, server: 6)
    connection.payloadLength = .init(client: 7, server: 8)
    connection.setup = 9
    connection.teardown = 10
    connection.unattributed = 11
    connection.retransmitted = 12
    connection.missing = 13
    connection.messages = 14
    connection.end = .captureEnd
    connection.flags = [.noHandshake, .tunnel]
    var secure = connection
    let prefix: [UInt8] = [PrefixProtocol.proxy1.rawValue, 19]
    connection.prefix = texts.intern(prefix + Array("198.51.100.22:35646203.0.113.7:443".utf8))
    secure.number = 2
    secure.applicationProtocol = .tls
    var security = ConnectionSecurity()
    security.serverName = texts.intern("www.example.com")
    security.applicationProtocol = texts.intern("h2")
    security.version = 0x0304
    security.suite = 0x1301
    security.isResumed = false
    security.opening = .partly
    security.handshake = 15
    security.record = 16
    secure.security = security
    secure.quicVersion = 0xff00_001d
    connection.multipath = 0xbeef
    let report = try report()
    try report.connection(connection, texts: texts)
    try report.connection(secure, texts: texts)
    try report.finish(emptyTotals())
    #expect(
      folder.text("connections.csv") == """
        connection,client,server,protocol,opened,closed,client_packets,server_packets,client_ip_bytes,server_ip_bytes,\
        client_payload_bytes,server_payload_bytes,setup_bytes,teardown_bytes,unattributed_bytes,retransmitted_bytes,\
        missing_bytes,messages,end,flags,sni,alpn,tls_version,cipher_suite,tls_resumed,tls_opened,handshake_bytes,\
        tls_record_bytes,control_bytes,process,pid,app,process_source,\
        tls_plaintext_at_most_bytes,proxied_by,origin_client,origin_server,quic_version,mptcp\r
        1,10.0.0.1:50000,[2001:db8::1]:443,http/1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,capture_end,no_handshake tunnel,\
        ,,,,,,0,0,0,,,,,,proxy1,198.51.100.22:35646,203.0.113.7:443,,0000beef\r
        2,10.0.0.1:50000,[2001:db8::1]:443,tls,1,2,3,4,5,6,7,8,9,10,11,12,13,14,capture_end,no_handshake tunnel,\
        www.example.com,h2,1.3,TLS_AES_128_GCM_SHA256,no,partly,15,16,0,,,,,0,,,,draft-29,\r

        """)
  }

  @Test(arguments: [false, true]) mutating func apis(byMethod: Bool) throws {
    var api = APITotals()
    api.host = texts.intern("h")
    api.path = texts.intern("/p")
    api.method = byMethod ? texts.intern("GET") : .none
    api.requests = 1
    api.responses = 2
    api.request.octets.startLine = 3
    api.request.octets.header = 4
    api.request.octets.body = 5
    api.request.octets.framing = 6
    api.request.octets.trailer = 7
    api.request.overhead = 100
    api.request.expandedHeader = 4
    api.response.expandedHeader = 9
    api.response.control = 5
    api.response.octets.startLine = 8
    api.response.octets.header = 9
    api.response.octets.body = 10
    api.response.octets.framing = 11
    api.response.octets.trailer = 12
    api.response.decodedBody = 13
    api.response.retransmitted = 1000
    api.missing = 14
    api.status4xx = 15
    api.status5xx = 16
    api.inferred = 17
    api.aborted = 18
    var totals = emptyTotals()
    totals.texts = texts
    totals.apis = [api]
    let report = try report(method: byMethod)
    try report.finish(totals)
    let (column, cell) = byMethod ? ("method,", "GET,") : ("", "")
    #expect(
      folder.text("apis.csv") == """
        host,path,\(column)requests,responses,request_start_line_bytes,request_header_bytes,request_body_bytes,\
        request_framing_bytes,request_trailer_bytes,request_bytes,request_ip_bytes,response_start_line_bytes,\
        response_header_bytes,response_body_bytes,response_framing_bytes,response_trailer_bytes,response_bytes,\
        response_decoded_body_bytes,response_ip_bytes,missing_bytes,status_4xx,status_5xx,wait_ms_p50,wait_ms_p95,\
        request_tls_bytes,response_tls_bytes,request_control_bytes,response_control_bytes,\
        request_expanded_header_bytes,response_expanded_header_bytes,inferred_bytes,aborted,request_tunnel_bytes,\
        response_tunnel_bytes\r
        h,/p,\(cell)1,2,3,4,5,6,7,25,125,8,9,10,11,12,50,13,1055,14,15,16,,,0,0,0,5,4,9,17,18,0,0\r

        """)
  }

  @Test func ledger() throws {
    var ledger = Ledger(
      packets: 3, original: 40, truncatedPackets: 1, droppedPackets: 2, missing: 5, synthetic: 14, tlsHandshake: 4,
      tlsApplicationData: 5, tlsRecord: 3, quicHandshake: 1, quicPacket: 2, quicProtected: 3)
    ledger.charge(14, to: .link)
    ledger.charge(20, to: .tls)
    ledger.charge(5, to: .malformed)
    var totals = emptyTotals()
    totals.ledger = ledger
    let report = try report()
    try report.finish(totals)
    #expect(
      folder.text("ledger.csv").components(separatedBy: "\r\n") == [
        "class,bytes", "link,14", "encapsulation,0", "network,0", "transport,0", "start_line,0", "header,0", "body,0",
        "framing,0", "trailer,0", "stray,0", "tunnel,0", "tls,20", "opaque,0", "retransmitted,0", "out_of_window,0",
        "udp,0", "other_ip,0", "non_ip,0", "malformed,5", "control,0", "quic,0", "total,39", "original,40",
        "difference,1",
        "missing,5",
        "packets,3", "truncated_packets,1", "dropped_packets,2", "synthetic,14", "tls_handshake,4",
        "tls_application_data,5", "tls_other,8", "pending,0", "tls_record,3", "quic_handshake,1", "quic_packet,2",
        "quic_protected,3", "websocket_frame,0", "websocket_payload,0", "tunnel_other,0", "",
      ])
  }

  /// While a run goes on, octets without a class are no difference.
  @Test func pendingOctets() throws {
    var totals = emptyTotals()
    totals.ledger = Ledger(packets: 1, original: 40, pending: 7)
    totals.ledger.charge(30, to: .link)
    let live = try CSVReport(folder: folder.path, grouping: .init(), isLive: true)
    try live.flush(totals) { _ in }
    let rows = folder.rows("ledger.csv")
    #expect(rows.contains("difference,3") && rows.contains("pending,7"))
  }

  @Test func anomalies() throws {
    var totals = emptyTotals()
    totals.anomalies.now = 42
    totals.anomalies.note(.tcpHole)
    let example = Array("=1+1,\u{1b}[31m\r\n".utf8) + [0xff]
    example.withOctets { totals.anomalies.note(.httpBareLineFeed, connection: 7, example: $0) }
    totals.anomalies.note(.httpBareLineFeed, connection: 8)
    let report = try report()
    try report.finish(totals)
    #expect(
      folder.text("anomalies.csv") == """
        name,count,first_time,first_connection,example\r
        tcp_hole,1,42,,\r
        http_bare_lf,2,42,7,"'=1+1,\\x1b[31m\\x0d\\x0a\\xff"\r

        """)
  }

  @Test func everyFileIsThereFromTheStartAndReplaced() throws {
    let files = [
      "anomalies.csv", "apis.csv", "connections.csv", "contents.csv", "exchanges.csv", "fields.csv", "grpc.csv",
      "hosts.csv", "ledger.csv", "messages.csv", "steps.csv", "timeline.csv", "websockets.csv",
    ]
    for _ in 0..<2 {
      let report = try report()
      var message = Message()
      message.number = 1
      try report.message(message, texts: texts)
      try report.finish(emptyTotals())
      #expect(folder.names == files)
      #expect(folder.rows("messages.csv").count == 1)
    }
  }

  @Test func rowsAfterTheEndAreLeftOut() throws {
    let report = try report()
    try report.finish(emptyTotals())
    try report.connection(Connection(), texts: texts)
    try report.finish(emptyTotals())
    #expect(folder.rows("connections.csv").isEmpty)
  }

  @Test func aSetOfReportsWritesThemAll() throws {
    var reports = try ReportSet(
      [.csv, .ndjson, .sqlite], folder: folder.path + "/a/b", .init(grouping: .init(), toolVersion: "1"))
    var exchange = Exchange()
    exchange.number = 1
    try reports.exchange(exchange, texts: texts)
    try reports.message(Message(), texts: texts)
    try reports.connection(Connection(), texts: texts)
    try reports.finish(emptyTotals())
    #expect(folder.rows("a/b/exchanges.csv").count == 1)
    #expect(folder.text("a/b/messages.ndjson").hasPrefix("{\"message\":0,"))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/a/b/report.sqlite"))
    #expect(ReportFormat(rawValue: "csv") == .csv)
  }
}
