// Reads the data and puts the page together.

const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');

const { start, duration: length } = data.summary;
document.getElementById('when').textContent =
  length === null ? 'No messages.' : start === null ? unbroken(length) : `${moment(start)}, ${unbroken(length)}`;

const sections = [
  ...comparisonSections(data), bytesSection(data), apisSection(data), throughputSection(data), waterfallSection(data), fieldsSection(data),
  compressionSection(data), cachingSection(data), outcomesSection(data),
  connectionsSection(data), ledgerSection(data), anomaliesSection(data),
].filter((section) => section !== null);

main.append(tiles(data), ...warnings(data), ...sections.map(([, , content]) => content));
document.getElementById('sections').append(...sections.map(([id, title]) =>
  element('li', {}, element('a', { href: `#${id}` }, title))));

const themes = ['auto', 'light', 'dark'];
const button = document.getElementById('theme');
button.addEventListener('click', () => {
  const theme = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % themes.length];
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
});
