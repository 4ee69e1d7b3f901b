// Links into the page: `#api=HOST/PATH`, `#exchange=N`, `#exchanges&Status=4xx`. Each can be copied, and opens its place.

/** The names and values after the `#` of the address. A name alone is a section. */
const linked = () => new URLSearchParams(location.hash.slice(1));

/** Sets the filters that the address names, before the page is drawn. */
function chooseLinked() {
  const names = linked();
  if (names.has('api')) {
    tableChoices.set('APIs', { sorted: 'all bytes', isDescending: true, query: names.get('api').toLowerCase(), isWhole: false });
  }
  if (names.has('exchange')) Object.assign(exchangeChoices, { Search: `#${names.get('exchange')}`, Host: '', Status: '', Method: '', Type: '' });
  if (names.has('exchanges')) {
    for (const [name, value] of names) if (filterNames.includes(name)) exchangeChoices[name] = value;
  }
}

/** Opens the API or the exchange that the address names, and goes there. */
function openLinked() {
  const names = linked();
  const id = names.has('api') ? 'apis' : names.has('exchange') || names.has('exchanges') ? 'exchanges' : null;
  const place = id && document.getElementById(id);
  if (!place) return;
  if (!names.has('exchanges')) place.querySelector('.opener[aria-expanded="false"]')?.click();
  place.scrollIntoView({ behavior: 'instant' });
}

/** Writes the chosen filters into the address, so that it can be shared. */
function noteFilters() {
  const names = new URLSearchParams(filterNames.map((name) => [name, exchangeChoices[name] ?? '']).filter(([, value]) => value));
  history.replaceState(null, '', names.size ? `#exchanges&${names}` : '#exchanges');
}

const filterNames = ['Search', 'Order', 'Host', 'Status', 'Method', 'Type'];

/** A button that copies a text. Where a page may not, it shows the text to be copied by hand. */
function copier(label, text) {
  const button = element('button', {
    type: 'button', onclick: async () => {
      try {
        await navigator.clipboard.writeText(text());
        button.textContent = 'Copied';
      } catch {
        const field = element('input', { type: 'text', readonly: true, value: text(), 'aria-label': label, class: 'copied' });
        button.replaceWith(field);
        field.select();
      }
    },
  }, label);
  return button;
}

const linkTo = (name, value) => () => `${location.href.split('#')[0]}#${new URLSearchParams({ [name]: value })}`;

/** A text as one word of a shell. */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command for the exchanges of a condition; null where no options name the same ones, and for names that the page has cut or escaped. */
function commandFor(comparisons) {
  if (data.live || !data.options || data.captures.length !== 1 || comparisons.some(([, value]) => /[\\…"]/u.test(String(value)))) return null;
  const condition = comparisons.map(([name, value]) => (typeof value === 'string' ? `${name} == "${value}"` : `${name} == ${value ?? 'unknown'}`)).join(' && ');
  const keys = data.keys.map((name) => ` --keys ${quoted(name)}`).join('');
  const options = data.options.map((word) => ` ${/^[\w.-]+$/.test(word) ? word : quoted(word)}`).join('');
  return copier('Copy command', () => `sniffer ${quoted(data.captures[0])}${keys}${options} --where ${quoted(condition)}`);
}

/** The tools of an opened row. */
const linkTools = (...tools) => element('div', { class: 'tools' }, tools);
