/// Every limit of the page: of what it shows, and of what is kept to make it. Each with its reason.
///
/// All that is kept is below 50 MiB, however large and hostile the capture is; a usual one needs a few. All that is
/// shown is below 2 MiB, which a phone can open. What goes beyond a limit is still in the sums, and the page says so.
enum PageLimits {
  // Shown

  /// APIs, by octets: what a person who looks for savings can work through.
  static let apis = 200
  /// Exchanges, by octets: some 200 octets each in the page.
  static let exchanges = 1000
  /// Connections, by octets.
  static let connections = 200
  /// Rows of every other table.
  static let rows = 100
  /// Intervals of time: one for each few pixels of a chart.
  static let intervals = 240
  /// Unicode scalars of a host, path or name; longer ones are cut and say how long they are.
  static let nameLength = 160
  /// Unicode scalars of a sentence, in which there may be names of many fields.
  static let sentenceLength = 1000

  // Kept

  /// Messages in progress about which more than their lengths is known. 200 octets each: 7 MiB.
  static let messagesInProgress = 1 << 15
  /// Field lines of one message that are looked at: servers take 100 to 200 at most.
  static let fieldsPerMessage = 200
  /// Field lines of all messages in progress. 24 octets each: 6 MiB.
  static let fieldsInProgress = 1 << 18
  /// Names of fields that are counted one by one, requests and responses together: there are some 250 registered ones.
  static let fieldNames = 1024
  /// Octets of a field's name; longer ones are counted together.
  static let fieldNameLength = 64
  /// Field lines that are remembered, as 8 octets, to recognise them when they come again: 3 MiB.
  static let rememberedFields = 1 << 17
  /// Contents that are remembered, as 8 octets, to recognise them when they come again: 3 MiB.
  static let rememberedContents = 1 << 17
  /// Rows that are added up under a name, for each table. Below 1.5 KiB each, usually 100 octets; in all below 12 MiB.
  static let addedRows = 2048
  /// Contents that are compressed at the same time to learn what gzip makes of them. 270 KiB each: 13 MiB.
  static let compressors = 48
}
