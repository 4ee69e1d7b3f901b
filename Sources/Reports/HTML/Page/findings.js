// The sections about what could have been less, what failed, and the whole account.

const directionColumn = columns.text('direction', 'direction');

function fieldsSection({ fields }) {
  const rows = records(fields).map((row) => ({ ...row, name: row.name ?? '(others)' }));
  if (!rows.length) return null;
  const rest = others(fields);
  const all = [...rows, ...(rest ? [rest] : [])];
  const [bytes, again] = [sum(all.map((row) => row.bytes)), sum(all.map((row) => row.repeated_bytes))];
  const list = [
    columns.text('name', 'field'), directionColumn, columns.count('lines', 'lines'), columns.bytes('bytes', 'bytes'),
    columns.count('repeated_lines', 'lines sent before'), columns.bytes('repeated_bytes', 'bytes sent before'),
    columns.share('share sent before', (row) => row.repeated_bytes, (row) => row.bytes),
  ];
  return ['headers', 'Header fields', section('headers', 'Header fields sent again and again', `${shortBytes(again)} of ${shortBytes(bytes)} (${percent(again, bytes)}) were field lines that had been sent before, octet for octet, in the same direction for the same host.`,
    dataTable({ name: 'fields', fields: list, rows, rest, total: fields.total, sorted: 'bytes sent before' }))];
}

function compressionSection({ codings, uncompressed }) {
  const coded = records(codings);
  const plain = records(uncompressed);
  if (!coded.length && !plain.length) return null;
  const rest = others(uncompressed);
  const saved = sum([...plain, ...(rest ? [rest] : [])].map((row) => row.saved_bytes));
  const achieved = sum(coded.map((row) => row.decoded_bytes - row.coded_bytes));
  return ['compression', 'Compression', section('compression', 'Compression', `Content codings saved ${shortBytes(achieved)}; gzip would have saved another ${shortBytes(saved)} of content that had none.`,
    coded.length ? element('h3', {}, 'Achieved') : null,
    coded.length ? dataTable({
      name: 'codings', rows: coded, rest: others(codings), sorted: 'content on the wire', fields: [
        columns.text('coding', 'coding'), columns.count('messages', 'messages'), columns.bytes('bytes', 'content on the wire'),
        columns.count('decoded_messages', 'decoded'), columns.bytes('coded_bytes', 'of these on the wire'), columns.bytes('decoded_bytes', 'without coding'),
        columns.share('on the wire', (row) => row.coded_bytes, (row) => row.decoded_bytes),
      ],
    }) : null,
    plain.length ? element('h3', {}, 'Missed') : null,
    plain.length ? dataTable({
      name: 'places without compression', rows: plain, rest, total: uncompressed.total, sorted: 'gzip would save', fields: [
        columns.place(), directionColumn, columns.count('messages', 'messages'), columns.bytes('bytes', 'content'),
        columns.count('compressible_messages', 'smaller with gzip'), columns.bytes('saved_bytes', 'gzip would save'),
        columns.share('of the content', (row) => row.saved_bytes, (row) => row.bytes),
      ],
    }) : null)];
}

function cachingSection({ contents, repeated }) {
  if (!contents.responses && !contents.not_modified) return null;
  const rows = records(repeated);
  return ['caching', 'Caching', section('caching', 'Caching', `${grouped(contents.repeated_responses)} of ${plural(contents.responses, 'fetched body', 'fetched bodies')} (GET, status 200) had been sent before for the same host and path: ${shortBytes(contents.repeated_bytes)} of ${shortBytes(contents.bytes)}. ${plural(contents.not_modified, 'answer was', 'answers were')} “not modified” instead, for ${shortBytes(contents.not_modified_bytes)} in all.`,
    rows.length ? dataTable({
      name: 'places fetched again', rows, rest: others(repeated), total: repeated.total, sorted: 'bytes of them',
      fields: [columns.place(), columns.count('responses', 'identical bodies'), columns.bytes('bytes', 'bytes of them')],
    }) : null)];
}

function outcomesSection({ redirects, errors }) {
  const tables = [['Redirections', 'redirections', redirects], ['Errors and requests without response', 'errors', errors]]
    .filter(([, , table]) => table.rows.length);
  if (!tables.length) return null;
  return ['outcomes', 'Errors', section('outcomes', 'Redirections and errors', 'What they cost, request and response together.',
    ...tables.flatMap(([title, name, table]) => [
      element('h3', {}, title),
      dataTable({
        name, rows: records(table), rest: others(table), total: table.total, sorted: 'all bytes', fields: [
          columns.place(), { label: 'status', value: (row) => row.status, showsEmpty: true, show: (row) => (row.status === null ? 'none' : String(row.status ?? '')) },
          columns.count('exchanges', 'exchanges'), columns.bytes('ip_bytes', 'all bytes'), columns.time('time', 'time'),
        ],
      }),
    ]))];
}

/** How many differences are drawn: all models, and of APIs those that matter most. */
const drawnDifferences = 20;

function comparisonSections({ comparisons }) {
  return comparisons.map((comparison, index) => {
    const id = `comparison-${index}`;
    const rows = records(comparison.table);
    return [id, comparison.short_title, section(id, comparison.title, null,
      comparison.warnings.map((text) => element('p', { class: 'notice' }, text)),
      element('p', { class: 'soft' }, comparison.note),
      comparison.facts.length ? element('ul', { class: 'soft facts' }, comparison.facts.map((text) => element('li', {}, text))) : null,
      rows.length ? comparisonChart(comparison, rows) : element('p', {}, 'Nothing differs.'),
      rows.length ? comparisonTable(comparison, rows) : null)];
  });
}

function comparisonChart({ teller, subject: [one, many], table }, rows) {
  const words = (row) => (row.app === null ? `${signed(row.difference)} bytes`
    : `${teller} ${grouped(row.app)}, wire ${grouped(row.wire)}, difference ${signed(row.difference)} bytes`);
  const hidden = table.total - Math.min(rows.length, drawnDifferences);
  return [
    legend([[`the ${teller} says more`, 'var(--up)'], [`the ${teller} says less`, 'var(--down)']]),
    differenceList(rows.slice(0, drawnDifferences).map((row) => [row.name, row.difference, words(row)])),
    hidden > 0 ? element('p', { class: 'soft' }, `Not drawn: ${plural(hidden, one, many)}.`) : null,
  ];
}

function comparisonTable({ title, figure, subject: [one, many], details, table }, rows) {
  const hasBoth = rows.some((row) => row.app !== null);
  return dataTable({
    name: many, label: title, rows, total: table.total, isWhole: table.total <= drawnDifferences, fields: [
      columns.text('name', one), ...(hasBoth ? [columns.bytes('app', figure), columns.bytes('wire', 'wire')] : []),
      columns.difference('difference', 'difference'),
      ...(hasBoth ? [columns.share('of the wire', (row) => row.difference, (row) => row.wire, signedPercent)] : []),
      ...details.map(([name, isDifference]) => (isDifference ? columns.difference : columns.count)(name, name)),
    ],
  });
}

function ledgerSection({ ledger }) {
  const rows = records(ledger);
  const end = rows.findIndex((row) => row.class === 'total');
  const total = rows[end].bytes;
  const share = (row) => element('span', {},
    element('span', { class: 'meter', 'aria-hidden': 'true' }, element('i', { style: { width: `${row.bytes / (total || 1) * 100}%` } })), element('span', { class: 'share' }, percent(row.bytes, total)));
  return ['ledger', 'Ledger', section('ledger', 'The ledger', 'Every octet of every packet is in exactly one class.',
    dataTable({
      name: 'classes', isWhole: true, rows: rows.slice(0, end).filter((row) => row.bytes), sorted: 'bytes', fields: [
        columns.text('class', 'class', (row) => titled(row.class)), columns.bytes('bytes', 'bytes'),
        { label: 'share', value: (row) => row.bytes, show: share },
      ],
    }),
    element('h3', {}, 'Sums, and figures beside the classes'),
    dataTable({
      name: 'figures', isWhole: true, label: 'Sums and figures beside the classes', rows: rows.slice(end),
      fields: [columns.text('class', 'figure', (row) => titled(row.class)), columns.bytes('bytes', 'value')],
    }))];
}

function anomaliesSection({ anomalies }) {
  const rows = records(anomalies);
  if (!rows.length) return null;
  return ['anomalies', 'Anomalies', section('anomalies', 'Anomalies', 'Oddities of the input, each with the first one as an example.',
    dataTable({
      name: 'anomalies', rows, sorted: 'count', fields: [
        columns.text('name', 'anomaly', (row) => titled(row.name)), columns.count('count', 'count'), columns.time('first', 'first'),
        { label: 'connection', value: (row) => row.connection, show: (row) => String(row.connection) },
        optional(columns.text('example', 'example', (row) => element('span', { class: 'path' }, row.example))),
      ],
    }))];
}
