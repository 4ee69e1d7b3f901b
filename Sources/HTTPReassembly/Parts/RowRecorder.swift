/// Writes down final rows, in the place of counting them, for an analysis that puts them together with those of others.
protocol RowRecorder: AnyObject {
  /// Writes down what has changed since the last time, but for final rows.
  func noteChanges(_ run: inout Run)
  /// Writes down a final message, whose texts are those of `texts`, with what is noted of its content and its fields.
  func add(
    _ message: inout Message, _ note: inout ContentNotes.Note, _ lines: [FieldNotes.Line],
    _ names: borrowing FieldNames, _ texts: inout TextPool)
  /// Writes down a final exchange.
  func add(_ exchange: inout Exchange, _ texts: inout TextPool)
  /// Writes down a final connection.
  func add(_ connection: inout Connection, _ texts: inout TextPool)
}
