/// Every limit of the page: of what it shows, and of what is kept to make it. Each with its reason.
///
/// All that is kept is below 30 MiB, however large and hostile the capture is; a usual one needs a few. All that is
/// shown is below 3 MB, which a phone can open. What goes beyond a limit is still in the sums, and the page says so.
enum PageLimits {
  // Shown

  /// APIs, by octets: what a person who looks for savings can work through.
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
  /// Rows behind something that could be saved.
  static let savingRows = 5
  /// Intervals of time: one for each few pixels of a chart.
  static let intervals = 240
  /// Unicode scalars of a host, path or name; longer ones are cut and say how long they are.
  static let nameLength = 160
  /// Octets that such a text takes in the page: characters that have to be escaped take six each.
  static let nameOctets = 320
  /// Unicode scalars of a sentence, in which there may be names of many fields.
  static let sentenceLength = 1000

  // Kept

  /// Exchanges in progress whose parts are known. 500 octets each: 8 MiB, since a dictionary has room for a third more, in powers of two.
  static let exchangesInProgress = 3 << 12
  /// Connections in progress whose hosts are known. Below 500 octets each, usually 100: 4 MiB.
  static let connectionsInProgress = 3 << 13
  /// APIs of each of which the exchange with the most octets is kept, at most twice as many. 1 KiB each: 4 MiB, and half
  /// as much again while those with fewer octets are forgotten.
  static let apisWithExchange = 2048
  /// Media types that are told apart: some 2,000 are registered, an app has a dozen.
  static let contentTypes = 256
  /// Octets of a media type's name with its parameters; longer ones are counted together.
  static let contentTypeLength = 256
  /// Rows that are added up under a name, for each table. Below 1.5 KiB each, usually 100 octets; in all below 12 MiB.
  static let addedRows = 2048
}
