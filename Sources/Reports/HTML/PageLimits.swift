/// All limits of the page, shown and kept, each with its reason.
///
/// All kept data is below 24 MiB, however large and hostile the capture is; a usual one needs a few. All shown data is below 3
/// MB, which a phone can open. Rows beyond a limit are still in the sums, and the page says so.
enum PageLimits {
  // Shown

  /// APIs, by octets: the number that a person in search of savings can work through.
  static let apis = 200
  /// Exchanges, by octets: some 300 octets each in the page.
  static let exchanges = 1000
  /// Further exchanges: those that took the longest.
  static let slowExchanges = 200
  /// Further exchanges: those that failed, by octets.
  static let failedExchanges = 200
  /// Connections, by octets.
  static let connections = 200
  /// Rows of every other table.
  static let rows = 100
  /// Rows about a possible saving.
  static let savingRows = 5
  /// Intervals of time: one for each few pixels of a chart.
  static let intervals = 240
  /// Unicode scalars of a host, path or name; longer ones are cut and show their length.
  static let nameLength = 160
  /// Octets of such a text in the page: escaped characters take six each.
  static let nameOctets = 320
  /// Unicode scalars of a sentence, which may have names of many fields.
  static let sentenceLength = 1000

  // Kept

  /// Exchanges in progress with known parts. 500 octets each: 4 MiB, because a dictionary has room for a third more, in powers of
  /// two.
  static let exchangesInProgress = 3 << 11
  /// Connections in progress with known hosts. Below 500 octets each, usually 100: 4 MiB.
  static let connectionsInProgress = 3 << 13
  /// APIs with their largest exchange by octets; at most twice as many are kept. At 1 KiB each they take 2 MiB, and half as much
  /// again while those with fewer octets are forgotten.
  static let apisWithExchange = 1024
  /// Distinct media types: some 2,000 are registered, an app has a dozen.
  static let contentTypes = 256
  /// Octets of a media type's name with its parameters; longer ones count together.
  static let contentTypeLength = 256
  /// Rows that are summed by name, for each table. Below 1.5 KiB each, usually 100 octets; in all below 12 MiB.
  static let addedRows = 2048
}
