// Elements from text. Nothing here or elsewhere parses markup: text from the wire is text, whatever it looks like.

/** An element with properties and children; strings become text. */
function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  decorate(node, properties);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** As `element`, of a drawing. */
function drawn(name, properties = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  decorate(node, properties);
  node.append(...children);
  return node;
}

function decorate(node, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'style') Object.assign(node.style, value);
    else if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
}

/** The rows of one of the data's tables as objects with the columns' names. */
function records(table) {
  return table.rows.map((row) => record(table, row));
}

/** What is not shown of a table, in one record; null when everything is. */
function others(table) {
  return table.rest ? record(table, table.rest) : null;
}

function record(table, row) {
  return Object.fromEntries(table.columns.map((column, index) => [column, row[index]]));
}

/** A host and a path, the host in the background. */
function place(host, path) {
  if (!host && !path) return element('span', { class: 'none' }, '(unknown)');
  // Better broken after a slash than anywhere.
  const pieces = path.split(/(?<=\/)(?=.)/u).flatMap((piece) => [piece, element('wbr')]);
  return element('span', {}, element('span', { class: 'host' }, host), element('wbr'), element('span', { class: 'path' }, pieces));
}

function section(id, title, note, ...children) {
  return element('section', { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, title), note ? element('p', { class: 'soft' }, note) : null, ...children.flat());
}

function legend(names) {
  return element('ul', { class: 'legend' }, names.map(([name, color]) =>
    element('li', {}, element('span', { class: 'swatch', style: { background: color } }), name)));
}

function checkbox(label, isChecked, changed) {
  const box = element('input', { type: 'checkbox', checked: isChecked, onchange: () => changed(box.checked) });
  return element('label', { class: 'check' }, box, label);
}
