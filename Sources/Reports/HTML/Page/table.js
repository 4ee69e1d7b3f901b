// Tables that sort and search. A column has a label, a value to sort by, and how it is shown.

const shownAtFirst = 10;

const columns = {
  text: (key, label, show) => ({ label, isText: true, value: (row) => row[key] ?? '', show }),
  count: (key, label) => ({ label, value: (row) => row[key], show: (row) => grouped(row[key]) }),
  bytes: (key, label) => ({
    label, value: (row) => row[key],
    show: (row) => element('span', { title: shortBytes(row[key]) }, grouped(row[key])),
  }),
  difference: (key, label) => ({ label, value: (row) => row[key], show: (row) => signed(row[key]) }),
  time: (key, label) => ({ label, value: (row) => row[key], show: (row) => duration(row[key]) }),
  share: (label, part, whole, show = percent) => ({
    label, value: (row) => (whole(row) ? part(row) / whole(row) : null), show: (row) => show(part(row), whole(row)),
  }),
  place: (label = 'host and path') => ({
    label, isText: true, isWide: true, showsEmpty: true, value: (row) => `${row.host}${row.path}`, show: (row) => place(row.host, row.path),
  }),
};

/**
 * A table with its tools.
 *
 * - name: what the rows are, for labels.
 * - fields: the columns; those that say so are left out where all of their rows are 0 or unknown.
 * - rows: the records; rest: the sums of those that are not shown, if there are any.
 * - sorted: the label of the column that they are sorted by at first, largest first.
 * - isWhole: shows all rows from the start, and no tools: for few rows that belong together.
 * - total: how many there are in all; null when only that there are more is known.
 */
function dataTable({ name, fields: all, rows, rest = null, sorted = null, total = rows.length, label = name, isWhole = false }) {
  const fields = all.filter((field) => !field.isOptional || [...rows, ...(rest ? [rest] : [])].some((row) => field.value(row)));
  const position = fields.findIndex((field) => field.label === sorted);
  const state = { column: position < 0 ? null : position, isDescending: true, query: '', isWhole };
  const body = element('tbody', { role: 'rowgroup' });
  const status = element('p', { class: 'status', role: 'status' });
  const more = element('button', { type: 'button', onclick: () => { state.isWhole = true; draw(); } });
  const heads = fields.map((field, index) => element('th',
    { scope: 'col', role: 'columnheader', class: field.isText ? 'text' : null },
    element('button', { type: 'button', onclick: () => sort(index) }, field.label)));
  const texts = new Map(rows.map((row) =>
    [row, fields.filter((field) => field.isText).map((field) => field.value(row)).join(' ').toLowerCase()]));

  function sort(index) {
    state.isDescending = state.column === index ? !state.isDescending : !fields[index].isText;
    state.column = index;
    draw();
  }

  function ordered() {
    const found = rows.filter((row) => texts.get(row).includes(state.query));
    if (state.column === null) return found;
    const { value } = fields[state.column];
    return found.map((row) => [value(row), row]).sort(([a], [b]) => {
      if (a === null || b === null || a === undefined || b === undefined) return (a ?? null) === null ? 1 : -1;
      const order = a < b ? -1 : a > b ? 1 : 0;
      return state.isDescending ? -order : order;
    }).map(([, row]) => row);
  }

  function draw() {
    const found = ordered();
    const shown = state.isWhole ? found : found.slice(0, shownAtFirst);
    body.replaceChildren(...shown.map((row) => line(fields, row)));
    heads.forEach((head, index) => head.setAttribute('aria-sort',
      index !== state.column ? 'none' : state.isDescending ? 'descending' : 'ascending'));
    status.textContent = `${grouped(shown.length)} of ${plural(found.length, 'row')}${state.query ? ' found' : ''}`;
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${grouped(found.length)} rows`;
  }

  const search = element('input', {
    type: 'search', placeholder: 'part of a name', spellcheck: 'false', autocomplete: 'off',
    oninput: () => { state.query = search.value.trim().toLowerCase(); draw(); },
  });
  const table = element('table', { role: 'table', 'aria-label': label, class: fields.length > 3 ? 'stacked' : null },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, heads)), body,
    rest ? element('tfoot', { role: 'rowgroup' }, line(fields, rest, 'all others')) : null);
  draw();
  const isSearchable = !isWhole && rows.length > shownAtFirst && fields.some((field) => field.isText);
  return element('div', { class: 'table' },
    cut(rows.length, total, name),
    element('div', { class: 'tools', hidden: isWhole || rows.length <= shownAtFirst },
      isSearchable ? element('label', {}, `Search ${name}`, search) : null, status),
    element('div', { class: 'scroll', role: 'region', 'aria-label': `Table: ${label}`, tabindex: '0' }, table), more);
}

function line(fields, row, title = null) {
  return element('tr', { role: 'row' }, fields.map((field, index) => {
    const value = field.value(row);
    const isEmpty = value === null || value === undefined || value === '' || value !== value;
    const content = index === 0 && title ? title : isEmpty && !field.showsEmpty ? '' : field.show ? field.show(row) : value;
    const isTextual = field.isText ? `text${index === 0 ? ' plain-start' : ''}${field.isWide ? ' wide-text' : ''}` : '';
    return element('td', {
      role: 'cell', class: `${isTextual}${content === '' ? ' empty' : ''}` || null,
      'data-label': index === 0 && field.isText ? null : field.label,
    }, content === '' ? '' : content instanceof Node ? content : element('span', {}, String(content)));
  }));
}

/** A column that is left out where it has nothing to say. */
const optional = (field) => ({ ...field, isOptional: true });

/** Says what a limit has left out; null when nothing was. */
function cut(shown, total, name) {
  if (total === shown) return null;
  return element('p', { class: 'notice' }, total === null
    ? `The top ${grouped(shown)} ${name}; there are more than were kept apart.`
    : `The top ${grouped(shown)} of ${grouped(total)} ${name}.`);
}
