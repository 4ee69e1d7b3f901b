// Tables that sort and search. A column has a label, a value to sort by, and how it is shown.

const shownAtFirst = 10;

/** What a person has chosen of each table, by its label: it stays when the page of a run that goes on is drawn anew. */
const tableChoices = new Map();

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
 * - detail: makes what a row opens below itself, by a button in its first cell; null for rows that open nothing.
 */
function dataTable({ name, fields: all, rows, rest = null, sorted = null, total = rows.length, label = name, isWhole = false, detail = null }) {
  const fields = all.filter((field) => !field.isOptional || [...rows, ...(rest ? [rest] : [])].some((row) => field.value(row)));
  const chosen = (isWhole ? null : tableChoices.get(label)) ?? { sorted, isDescending: true, query: '', isWhole };
  const position = fields.findIndex((field) => field.label === chosen.sorted);
  const state = { ...chosen, column: position < 0 ? null : position };
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
    state.sorted = fields[index].label;
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
    if (!isWhole) tableChoices.set(label, state);
    const found = ordered();
    const shown = state.isWhole ? found : found.slice(0, shownAtFirst);
    body.replaceChildren(...shown.map((row) => line(fields, row, null, detail)));
    heads.forEach((head, index) => head.setAttribute('aria-sort',
      index !== state.column ? 'none' : state.isDescending ? 'descending' : 'ascending'));
    status.textContent = `${grouped(shown.length)} of ${plural(found.length, 'row')}${state.query ? ' found' : ''}`;
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${grouped(found.length)} rows`;
  }

  const search = element('input', {
    type: 'search', placeholder: 'part of a name', spellcheck: 'false', autocomplete: 'off', value: state.query,
    oninput: () => { state.query = search.value.trim().toLowerCase(); draw(); },
  });
  const table = element('table', { role: 'table', 'aria-label': label, class: fields.length > (isWhole ? 4 : 3) ? 'stacked' : null },
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

function line(fields, row, title = null, detail = null) {
  const node = element('tr', { role: 'row' }, fields.map((field, index) => {
    const value = field.value(row);
    const isEmpty = value === null || value === undefined || value === '' || value !== value;
    const content = index === 0 && title ? title : isEmpty && !field.showsEmpty ? '' : field.show ? field.show(row) : value;
    const isTextual = field.isText ? `text${index === 0 ? ' plain-start' : ''}${field.isWide ? ' wide-text' : ''}` : '';
    return element('td', {
      role: 'cell', class: `${isTextual}${content === '' ? ' empty' : ''}` || null,
      'data-label': index === 0 && field.isText ? null : field.label,
    }, content === '' ? '' : index === 0 && detail ? rowOpener(content, () => node, fields.length, () => detail(row))
      : content instanceof Node ? content : element('span', {}, String(content)));
  }));
  return node;
}

/** A button that opens a row of its own below the one it is in. */
function rowOpener(label, row, width, content) {
  const below = () => element('tr', { role: 'row', class: 'below' }, element('td', { role: 'cell', colspan: width }, content()));
  return opener((detail) => row().after(detail), below, label);
}

/** A button that opens and closes what `content` makes when it is opened first, and `place` puts where it belongs. */
function opener(place, content, ...label) {
  let detail = null;
  const button = element('button', {
    type: 'button', class: 'opener', 'aria-expanded': 'false', onclick: () => {
      const isOpen = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!isOpen));
      if (isOpen) return detail.remove();
      detail ??= content();
      place(detail);
    },
  }, ...label);
  return button;
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
