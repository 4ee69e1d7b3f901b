/// How much is known of a gap in the content that a session reads.
enum GapCertainty {
  /// The number of its octets.
  case exact
  /// That it has octets. Their number is an estimate.
  case estimated
  /// Nothing: it may have no octets.
  case possible
}
