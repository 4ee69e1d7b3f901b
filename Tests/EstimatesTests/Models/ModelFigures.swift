import Estimates

/// What each model says of each message of `ModelMessages`, in their order: line, header, body, framing. Computed by hand
/// from the figures that stand there; the arithmetic of each model is in its comment.
enum ModelFigures {
  /// Requests: query, form, stream, codedStream, bare, escaped.
  static let requests: [ModelName: [[Int]]] = [
    // eCL alone.
    .networkEye: [
      [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0],
    ],
    // HTTPBody.length; D.
    .hertz: [
      [0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 2, 0],
    ],
    // J and HTTPBody.length; J and eCL, or D where eCL is -1.
    .wedjat: [
      [0, 18, 0, 0], [0, 63, 5, 0], [0, 55, 0, 0], [0, 68, 0, 0], [0, 4, 0, 0], [0, 23, 2, 0],
    ],
    // As Wedjat, but the stream of a POST is read.
    .doKit: [
      [0, 18, 0, 0], [0, 63, 5, 0], [0, 55, 0, 0], [0, 68, 10, 0], [0, 4, 0, 0], [0, 23, 2, 0],
    ],
    // Path line and LF, S + 3n, body or gzip; status-line, S + 3n, D or gzip(D).
    .dogger: [
      [16, 8, 0, 0], [19, 41, 5, 0], [16, 37, 0, 0], [17, 50, 23, 0], [17, 0, 0, 0], [18, 11, 2, 0],
    ],
    // Path line and CRLF, S + 4n + 2, body; the same of responses, with `chunked` written back.
    .ep: [
      [17, 11, 0, 0], [20, 45, 5, 0], [17, 41, 5, 0], [18, 54, 10, 0], [18, 2, 0, 0], [19, 14, 2, 0],
    ],
    // Path line and LF, J of fields and J of cookies, HTTPBody.length; status-line, J, D.
    .llDebugTool: [
      [16, 22, 0, 0], [19, 65, 5, 0], [16, 59, 0, 0], [17, 72, 0, 0], [17, 8, 0, 0], [18, 27, 2, 0],
    ],
    // Bodies, streams too; D.
    .netfox: [
      [0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 10, 0], [0, 0, 0, 0], [0, 0, 2, 0],
    ],
    // S + 4n of all fields; bodies as transferred.
    .okHttp: [
      [0, 39, 0, 0], [0, 79, 5, 0], [0, 61, 5, 0], [0, 69, 10, 0], [0, 17, 0, 0], [0, 48, 2, 0],
    ],
    // Start-line and header section; body and framing.
    .taskMetrics: [
      [0, 63, 0, 0], [0, 104, 5, 0], [0, 80, 15, 0], [0, 89, 20, 0], [0, 37, 0, 0], [0, 69, 2, 0],
    ],
    // Header text in UTF-16 units, without the empty line in requests; what else was transferred.
    .chromeHAR: [
      [0, 61, 0, 0], [0, 102, 5, 0], [0, 78, 5, 0], [0, 87, 10, 0], [0, 35, 0, 0], [0, 67, 2, 0],
    ],
    // Header text; of responses everything once more.
    .firefoxHAR: [
      [0, 63, 0, 0], [0, 104, 5, 0], [0, 80, 5, 0], [0, 89, 10, 0], [0, 37, 0, 0], [0, 69, 2, 0],
    ],
    // S + 12n + 7 of all fields, a tab and a backslash escaped; bodies as transferred.
    .mitmproxyHAR: [
      [0, 70, 0, 0], [0, 118, 5, 0], [0, 100, 5, 0], [0, 100, 10, 0], [0, 32, 0, 0], [0, 81, 2, 0],
    ],
    // As on the wire, but folded fields, the phrase, framing, and gzip(D) where no length tells.
    .trafficProbe: [
      [22, 41, 0, 0], [23, 81, 5, 0], [17, 58, 5, 0], [18, 71, 10, 0], [18, 19, 0, 0], [19, 50, 2, 0],
    ],
  ]

  /// Responses: cookies, redirect, chunked, gzip, gzipChunked, deflate, head, notModified, utf8, cut.
  static let responses: [ModelName: [[Int]]] = [
    // eCL alone.
    .networkEye: [
      [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, -1, 0], [0, 0, 28, 0], [0, 0, -1, 0], [0, 0, 16, 0], [0, 0, 1234, 0],
      [0, 0, -1, 0], [0, 0, 2, 0], [0, 0, 100, 0],
    ],
    // HTTPBody.length; D.
    .hertz: [
      [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 11, 0], [0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 0, 0],
      [0, 0, 2, 0], [0, 0, 9, 0],
    ],
    // J and HTTPBody.length; J and eCL, or D where eCL is -1.
    .wedjat: [
      [0, 91, 5, 0], [0, 50, 0, 0], [0, 38, 11, 0], [0, 60, 28, 0], [0, 69, 5, 0], [0, 63, 16, 0], [0, 31, 1234, 0],
      [0, 22, 0, 0], [0, 44, 2, 0], [0, 30, 100, 0],
    ],
    // As Wedjat, but the stream of a POST is read.
    .doKit: [
      [0, 91, 5, 0], [0, 50, 0, 0], [0, 38, 11, 0], [0, 60, 28, 0], [0, 69, 5, 0], [0, 63, 16, 0], [0, 31, 1234, 0],
      [0, 22, 0, 0], [0, 44, 2, 0], [0, 30, 100, 0],
    ],
    // Path line and LF, S + 3n, body or gzip; status-line, S + 3n, D or gzip(D).
    .dogger: [
      [15, 64, 5, 0], [30, 31, 0, 0], [15, 28, 11, 0], [15, 42, 25, 0], [15, 51, 25, 0], [15, 45, 5, 0],
      [15, 21, 0, 0], [25, 10, 0, 0], [15, 26, 2, 0], [15, 20, 9, 0],
    ],
    // Path line and CRLF, S + 4n + 2, body; the same of responses, with `chunked` written back.
    .ep: [
      [17, 69, 5, 0], [32, 35, 0, 0], [17, 30, 11, 0], [17, 46, 25, 0], [17, 54, 25, 0], [17, 49, 5, 0],
      [17, 24, 0, 0], [27, 13, 0, 0], [17, 30, 2, 0], [17, 23, 9, 0],
    ],
    // Path line and LF, J of fields and J of cookies, HTTPBody.length; status-line, J, D.
    .llDebugTool: [
      [15, 91, 5, 0], [30, 50, 0, 0], [15, 38, 11, 0], [15, 60, 5, 0], [15, 69, 5, 0], [15, 63, 5, 0], [15, 31, 0, 0],
      [25, 22, 0, 0], [15, 44, 2, 0], [15, 30, 9, 0],
    ],
    // Bodies, streams too; D.
    .netfox: [
      [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 11, 0], [0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 0, 0],
      [0, 0, 2, 0], [0, 0, 9, 0],
    ],
    // S + 4n of all fields; bodies as transferred.
    .okHttp: [
      [0, 79, 5, 0], [0, 33, 0, 0], [0, 28, 11, 0], [0, 44, 28, 0], [0, 52, 28, 0], [0, 47, 16, 0], [0, 22, 0, 0],
      [0, 11, 0, 0], [0, 28, 2, 0], [0, 21, 9, 0],
    ],
    // Start-line and header section; body and framing.
    .taskMetrics: [
      [0, 98, 5, 0], [0, 67, 0, 0], [0, 47, 34, 0], [0, 63, 28, 0], [0, 71, 39, 0], [0, 66, 16, 0], [0, 41, 0, 0],
      [0, 40, 0, 0], [0, 47, 2, 0], [0, 40, 9, 0],
    ],
    // Header text in UTF-16 units; what else was transferred.
    .chromeHAR: [
      [0, 98, 5, 0], [0, 67, 0, 0], [0, 47, 34, 0], [0, 63, 28, 0], [0, 71, 39, 0], [0, 66, 16, 0], [0, 41, 0, 0],
      [0, 40, 0, 0], [0, 46, 3, 0], [0, 40, 9, 0],
    ],
    // Header text, the second Set-Cookie 13 octets shorter; of responses everything once more, but chunk framing.
    .firefoxHAR: [
      [0, 85, 90, 0], [0, 67, 67, 0], [0, 47, 58, 0], [0, 63, 91, 0], [0, 71, 99, 0], [0, 66, 82, 0],
      [0, 41, 41, 0], [0, 40, 40, 0], [0, 46, 49, 0], [0, 40, 49, 0],
    ],
    // S + 12n + 7 of all fields, the é as two escapes of four octets; bodies as transferred.
    .mitmproxyHAR: [
      [0, 118, 5, 0], [0, 56, 0, 0], [0, 43, 11, 0], [0, 67, 28, 0], [0, 75, 28, 0], [0, 70, 16, 0], [0, 37, 0, 0],
      [0, 26, 0, 0], [0, 57, 2, 0], [0, 36, 9, 0],
    ],
    // As on the wire, but folded fields, the phrase, framing, and gzip(D) where no length tells.
    .trafficProbe: [
      [17, 81, 5, 0], [20, 35, 0, 0], [17, 30, 11, 0], [17, 46, 28, 0], [17, 54, 25, 0], [17, 49, 16, 0],
      [17, 24, 0, 0], [27, 13, 0, 0], [17, 30, 2, 0], [17, 23, 9, 0],
    ],
  ]
}
