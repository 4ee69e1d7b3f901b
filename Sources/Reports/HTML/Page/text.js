// Numbers and names as text. Everything is exact but the short forms, which stand beside an exact one.

const grouping = new Intl.NumberFormat('en');
const grouped = (value) => grouping.format(value);

/** A difference; 0 has no sign. */
const signed = (value) => `${signOf(value)}${grouped(Math.abs(value))}`;
const signOf = (value) => (value > 0 ? '+' : value < 0 ? '−' : '');

/** Bytes in a few digits: 1.23 MB. */
function shortBytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  let size = Math.abs(value);
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const text = unit === 0 ? String(size) : size.toPrecision(3);
  return `${value < 0 ? '−' : ''}${text} ${units[unit]}`;
}

/** A duration given in milliseconds, in the unit that fits. */
function duration(milliseconds) {
  const size = Math.abs(milliseconds);
  if (size === 0) return '0 ms';
  if (size < 1) return `${round(milliseconds * 1000)} µs`;
  if (size < 1000) return `${round(milliseconds)} ms`;
  if (size < 60e3) return `${round(milliseconds / 1000)} s`;
  const seconds = Math.round(size / 1000);
  const sign = milliseconds < 0 ? '−' : '';
  if (seconds < 3600) return `${sign}${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 172800) return `${sign}${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${sign}${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

/** A duration that is never broken between its figure and its unit. */
const unbroken = (milliseconds) => duration(milliseconds).replaceAll(' ', '\u00a0');

function round(value) {
  return Number(value.toPrecision(3)).toString();
}

/** A share; what is not nothing never looks like it. */
function percent(part, whole) {
  if (!whole) return '';
  const share = part / whole * 100;
  return share > 0 && share < 0.05 ? '<0.1%' : `${share.toFixed(1)}%`;
}

/** A share of a difference, with its sign. */
const signedPercent = (part, whole) => (whole ? signOf(part) + percent(Math.abs(part), whole) : '');

/** A moment given in milliseconds since the epoch. */
function moment(milliseconds) {
  const date = new Date(milliseconds);
  return isNaN(date) ? '' : date.toISOString().replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

function plural(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** Counts that are not 0, in words: [count, one, many]. */
const list = (counts) => counts.filter(([count]) => count > 0).map((count) => plural(...count)).join(', ');

const sum = (values) => values.reduce((total, value) => total + value, 0);
const titled = (name) => name.replaceAll('_', ' ').replace('start line', 'start-line');
