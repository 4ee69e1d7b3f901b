// The sections about what could have been less, what failed, and the whole account.

const directionColumn = columns.text('direction', 'direction');

function fieldsSection({ fields, cookies }) {
  const rows = records(fields);
  if (!rows.length) return null;
  const rest = others(fields);
  const all = [...rows, ...(rest ? [rest] : [])];
  const [bytes, again] = [sum(all.map((row) => row.bytes)), sum(all.map((row) => row.repeated_bytes))];
  const figures = [
    directionColumn, columns.count('messages', 'messages'), columns.bytes('bytes', 'bytes'), columns.bytes('repeated_bytes', 'bytes that repeat'),
    columns.share('share that repeats', (row) => row.repeated_bytes, (row) => row.bytes),
  ];
  return ['headers', 'Header fields', section('headers', 'Header fields', `${shortBytes(again)} of ${shortBytes(bytes)} (${percent(again, bytes)}) repeat the value that the same field had in the message before, of the same API on the same connection. Bytes are those on the wire. Names in parentheses are not header fields.`,
    dataTable({ name: 'fields', fields: [columns.text('name', 'field'), ...figures], rows, rest, total: fields.total, sorted: 'bytes' }),
    cookies.rows.length ? element('h3', {}, 'Cookies by host') : null,
    cookies.rows.length ? dataTable({
      name: 'cookies', rows: records(cookies), rest: others(cookies), total: cookies.total, sorted: 'bytes',
      fields: [{ ...columns.text('host', 'host'), showsEmpty: true, isWide: true, show: (row) => row.host || '(unknown)' }, columns.text('name', 'field'), ...figures],
    }) : null)];
}

function compressionSection({ codings, uncompressed, contents }) {
  const coded = records(codings);
  const plain = records(uncompressed);
  if (!coded.length && !plain.length) return null;
  const rest = others(uncompressed);
  const saved = sum([...plain, ...(rest ? [rest] : [])].map((row) => row.saved_bytes));
  const achieved = sum(coded.map((row) => row.decoded_bytes - row.coded_bytes));
  const unknown = contents.not_estimated_bytes ? ` Of ${shortBytes(contents.not_estimated_bytes)} it is not known what gzip would make.` : '';
  return ['compression', 'Compression', section('compression', 'Compression', `Content codings saved ${shortBytes(achieved)}. Gzip is estimated to save another ${shortBytes(saved)} of content that had no coding.${unknown}`,
    coded.length ? element('h3', {}, 'Achieved') : null,
    coded.length ? dataTable({
      name: 'codings', rows: coded, rest: others(codings), sorted: 'content on the wire', fields: [
        columns.text('coding', 'coding'), columns.count('messages', 'messages'), columns.bytes('bytes', 'content on the wire'),
        columns.count('decoded_messages', 'decoded'), columns.bytes('coded_bytes', 'of these on the wire'), columns.bytes('decoded_bytes', 'without coding'),
        columns.share('on the wire', (row) => row.coded_bytes, (row) => row.decoded_bytes),
      ],
    }) : null,
    plain.length ? element('h3', {}, 'Missed, estimated from samples') : null,
    plain.length ? dataTable({
      name: 'APIs without compression', rows: plain, rest, total: uncompressed.total, sorted: 'gzip would save', fields: [
        columns.place(), directionColumn, columns.count('contents', 'contents'), columns.bytes('bytes', 'bytes without coding'), columns.bytes('saved_bytes', 'gzip would save'),
        columns.share('of the content', (row) => row.saved_bytes, (row) => row.bytes),
      ],
    }) : null)];
}

function contentTypesSection({ content_types: types }) {
  if (!types.rows.length) return null;
  const rows = records(types);
  const rest = others(types);
  const total = sum([...rows, ...(rest ? [rest] : [])].map((row) => row.bytes));
  return ['types', 'Content types', section('types', 'Content types', 'Contents by what their messages say that they are.',
    dataTable({
      name: 'content types', rows, rest, total: types.total, sorted: 'bytes', fields: [
        columns.text('type', 'type'), columns.count('messages', 'messages'), columns.bytes('bytes', 'bytes'),
        columns.share('share', (row) => row.bytes, () => total), columns.bytes('decoded_bytes', 'without coding'),
      ],
    }))];
}

function cachingSection({ contents, repeated, elsewhere }) {
  if (!contents.contents && !contents.not_modified) return null;
  const spared = contents.not_modified ? ` ${plural(contents.not_modified, 'answer was', 'answers were')} “not modified”: for ${grouped(contents.known_not_modified)} of them the content is known, and ${shortBytes(contents.not_modified_saved_bytes)} were not sent.` : '';
  const contentTable = (title, name, table) => (table.rows.length ? [element('h3', {}, title), dataTable({
    name, rows: records(table), rest: others(table), total: table.total, sorted: 'bytes of them',
    fields: [columns.place(), directionColumn, columns.count('contents', 'identical contents'), columns.bytes('bytes', 'bytes of them')],
  })] : []);
  return ['caching', 'Caching', section('caching', 'Caching', `Of ${plural(contents.contents, 'content')} with ${shortBytes(contents.bytes)}, ${grouped(contents.repeated_contents)} (${shortBytes(contents.repeated_bytes)}) were the same as one that the same client had transferred for the same URL before. Another ${grouped(contents.elsewhere_contents)} (${shortBytes(contents.elsewhere_bytes)}) were the same as one of another URL.${spared}`,
    ...contentTable('Same content transferred again', 'APIs with the same content again', repeated),
    ...contentTable('Same content under different URLs', 'APIs with the content of another URL', elsewhere))];
}

function outcomesSection({ redirects, errors, statuses }) {
  const tables = [['Redirections', 'redirections', redirects], ['Errors and requests without response', 'errors', errors]]
    .filter(([, , table]) => table.rows.length);
  if (!statuses.rows.length && !tables.length) return null;
  const status = { ...columns.count('status', 'status'), showsEmpty: true, show: (row) => (row.status === null ? 'unknown' : String(row.status)) };
  return ['outcomes', 'Status codes', section('outcomes', 'Status codes, redirections and errors', 'What they cost, request and response together.',
    statuses.rows.length ? dataTable({
      name: 'status codes', rows: records(statuses), total: statuses.total, fields: [
        status, columns.count('exchanges', 'exchanges'), columns.bytes('ip_bytes', 'all bytes'),
      ],
    }) : null,
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
  return ['ledger', 'Ledger', section('ledger', 'The ledger', 'Every byte of every packet is in exactly one class.',
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
  return ['anomalies', 'Anomalies', section('anomalies', 'Anomalies', 'Oddities of the input, each with the first one as an example, its meaning for the figures, and what to do.',
    dataTable({
      name: 'anomalies', rows, sorted: 'count', fields: [
        columns.text('name', 'anomaly', (row) => titled(row.name)), columns.count('count', 'count'), columns.time('first', 'first'),
        { label: 'connection', value: (row) => row.connection, show: (row) => String(row.connection) },
        optional(columns.text('example', 'example', (row) => element('span', { class: 'path' }, row.example))),
        { ...columns.text('explanation', 'what it means'), isWide: true },
      ],
    }))];
}
