// Stacked bars of what bytes are.

const color = (part) => `var(--${part})`;

/** A bar of parts, as long as `share` of the room there is. */
function stackedBar(parts, values, share) {
  const total = sum(values);
  const words = parts.map((part, index) => [titled(part), values[index]]).filter(([, value]) => value > 0)
    .map(([part, value]) => `${part} ${grouped(value)} (${percent(value, total)})`).join(', ');
  return element('div', { class: 'track' },
    element('div', { class: 'bar', role: 'img', 'aria-label': words || 'nothing', title: words, style: { width: `${share * 100}%` } },
      parts.map((part, index) => (values[index] > 0
        ? element('span', { style: { background: color(part), flex: `${values[index]} 0 0` } }) : null))));
}

/** A list of bars: [label, values]; all to one scale, or each over the whole width. */
function barList(parts, items, isRelative = false) {
  const longest = Math.max(1, ...items.map(([, values]) => sum(values)));
  return element('ul', { class: 'bars' }, items.map(([label, values]) => element('li', {},
    element('span', { class: 'label' }, label),
    stackedBar(parts, values, isRelative ? 1 : sum(values) / longest),
    element('span', { class: 'figure', title: `${grouped(sum(values))} bytes` }, shortBytes(sum(values))))));
}

/** Bars of counts: [label, count]. */
function countList(items, one, many) {
  const most = Math.max(1, ...items.map(([, count]) => count));
  const total = sum(items.map(([, count]) => count));
  return element('ul', { class: 'bars counts' }, items.map(([label, count]) => element('li', {},
    element('span', { class: 'label' }, label),
    element('div', { class: 'track', 'aria-hidden': 'true' }, element('div', { class: 'bar', style: { width: `${count / most * 100}%` } },
      count ? element('span', { style: { background: 'var(--body)', flex: '1 0 0' } }) : null)),
    element('span', { class: 'figure' }, `${plural(count, one, many)}${count ? `, ${percent(count, total)}` : ''}`))));
}

/** Differences to both sides of a middle: [label, difference, words]. */
function differenceList(items) {
  const largest = Math.max(1, ...items.map(([, difference]) => Math.abs(difference)));
  return element('ul', { class: 'bars differences' }, items.map(([label, difference, words]) => {
    const width = Math.abs(difference) / largest * 50;
    return element('li', {}, element('span', { class: 'label' }, label),
      element('div', { class: 'track', role: 'img', 'aria-label': words, title: words },
        difference === 0 ? null : element('span', {
          style: {
            width: `${width}%`, left: `${difference < 0 ? 50 - width : 50}%`,
            background: difference < 0 ? 'var(--down)' : 'var(--up)',
          },
        })),
      element('span', { class: 'figure' }, `${difference > 0 ? '+' : ''}${shortBytes(difference)}`));
  }));
}
