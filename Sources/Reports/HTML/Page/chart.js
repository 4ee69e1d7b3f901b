// Octets over time: what came down above the line, what went up below it.

function throughputChart({ start, width, up, down }) {
  const size = { width: Math.min(Math.max(document.documentElement.clientWidth - 80, 300), 1130), height: 250, left: 62, bottom: 26, top: 8 };
  const perSecond = (octets) => octets / width * 1000;
  const most = [Math.max(0, ...down), Math.max(0, ...up)].map(perSecond);
  const ticks = [niceTicks(most[0], 3), niceTicks(most[1], 2)];
  const top = ticks[0].at(-1) ?? 0;
  const floor = ticks[1].at(-1) ?? 0;
  const scale = (size.height - size.top - size.bottom) / ((top + floor) || 1);
  const zero = size.top + top * scale;
  const step = (size.width - size.left) / down.length;
  const drawing = drawn('svg', { viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', 'aria-label':
    `Most in ${duration(width)}: ${shortBytes(most[0])} per second down, ${shortBytes(most[1])} per second up.` });
  const level = (value, y) => drawing.append(
    drawn('line', { class: value ? 'grid' : 'axis', x1: size.left, x2: size.width, y1: y, y2: y }),
    drawn('text', { x: size.left - 8, y: y + 4, 'text-anchor': 'end' }, `${value ? shortBytes(value) : '0'}${value ? '/s' : ''}`));
  // Where one direction is next to nothing, its figures would stand upon each other: the largest alone, or none.
  const apart = (all) => [all.slice(1), all.slice(-1)].find(([first]) => first * scale >= 14) ?? [];
  apart(ticks[0]).forEach((tick) => level(tick, zero - tick * scale));
  apart(ticks[1]).forEach((tick) => level(tick, zero + tick * scale));
  level(0, zero);
  const draw = (values, name, direction) => values.forEach((octets, index) => {
    if (!octets) return;
    const height = Math.max(perSecond(octets) * scale, 1);
    drawing.append(drawn('rect', {
      class: name, x: size.left + index * step, width: Math.max(step - (step > 4 ? 1 : 0), .8),
      y: direction < 0 ? zero - height : zero, height,
    }, drawn('title', {}, `${duration(start + index * width)}: ${grouped(octets)} bytes ${name} in ${duration(width)}`)));
  });
  draw(down, 'down', -1);
  draw(up, 'up', 1);
  const span = down.length * width;
  niceTicks(span, size.width < 500 ? 3 : 6).filter((tick) => tick <= span).forEach((tick) => {
    const x = size.left + tick / width * step;
    drawing.append(drawn('text', {
      x, y: size.height - 6, 'text-anchor': tick === 0 ? 'start' : x > size.width - 30 ? 'end' : 'middle',
    }, tick === 0 ? '0' : duration(tick)));
  });
  return element('figure', {}, drawing);
}

/** Round numbers from 0 to at least `most`, about `count` steps. */
function niceTicks(most, count) {
  if (!(most > 0)) return [0];
  const raw = most / count;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((value) => value >= raw * .999);
  const ticks = [0];
  while (ticks.at(-1) < most * .999 && ticks.length < 20) ticks.push(ticks.length * step);
  return ticks;
}
