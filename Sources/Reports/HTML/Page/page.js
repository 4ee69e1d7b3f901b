// Reads the data and puts the page together.

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');

/** Whose page it is, from when, and over how long. */
function heading({ captures, summary: { first_packet: first, span } }) {
  const names = captures.length > 2 ? `${captures[0]} and ${grouped(captures.length - 1)} more` : captures.join(' and ');
  const time = span === null ? 'no packets' : first === null ? unbroken(span) : `${moment(first)}, ${unbroken(span)}`;
  return [names, time].filter((text) => text);
}

/** The data of the page as it is drawn. */
let shown = data;

function show(data) {
  shown = data;
  const titles = heading(data);
  document.title = ['Where the bytes went', ...titles].join(' · ');
  document.getElementById('when').textContent = titles.join(' · ');
  const exchanges = exchangeRecords(data);
  const sections = [
    ...comparisonSections(data), savingsSection(data), bytesSection(data), hostsSection(data), apisSection(data, exchanges),
    exchangesSection(data, exchanges), timelineSection(data), stepsSection(data), waitsSection(data), fieldsSection(data), compressionSection(data),
    cachingSection(data), contentTypesSection(data), outcomesSection(data), webSocketsSection(data), clientsSection(data), connectionsSection(data),
    ledgerSection(data), anomaliesSection(data),
  ].filter((section) => section !== null);
  main.replaceChildren(tiles(data), ...warnings(data), ...sections.map(([, , content]) => content));
  document.getElementById('sections').replaceChildren(...sections.map(([id, title]) =>
    element('li', {}, element('a', { href: `#${id}` }, title))));
}

chooseLinked();
show(data);
openLinked();
addEventListener('hashchange', () => {
  if (!['api', 'exchange', 'exchanges'].some((name) => linked().has(name))) return;
  chooseLinked();
  show(shown);
  openLinked();
});

const themes = ['auto', 'light', 'dark'];
const button = document.getElementById('theme');
button.addEventListener('click', () => {
  const theme = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % themes.length];
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
});
