// Bytes over time: what came down above the line, what went up below it. What has no direction is above it, too.

function timelineChart({ start, width, parts, up, down, unknown }) {
  const count = Math.max(...[up, down, unknown].flat().map((values) => values.length));
  const stack = (direction) => parts.map((part, index) => [part, direction[index]]).filter(([, values]) => values.length);
  const above = [...stack(down), ...(sumOfLists(unknown).length ? [['no_direction', sumOfLists(unknown)]] : [])];
  const below = stack(up);
  const totals = [above, below].map((side) => Array.from({ length: count }, (_, index) => sum(side.map(([, values]) => values[index]))));
  const size = { width: Math.min(Math.max(document.documentElement.clientWidth - 80, 300), 1130), height: 250, left: 62, bottom: 26, top: 8 };
  const perSecond = (bytes) => bytes / width * 1000;
  const most = totals.map((values) => perSecond(Math.max(0, ...values)));
  const ticks = [niceTicks(most[0], 3), niceTicks(most[1], 2)];
  const top = ticks[0].at(-1) ?? 0;
  const floor = ticks[1].at(-1) ?? 0;
  const scale = (size.height - size.top - size.bottom) / ((top + floor) || 1);
  const zero = size.top + top * scale;
  const step = (size.width - size.left) / count;
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
  const draw = (side, total, name, direction) => total.forEach((bytes, index) => {
    if (!bytes) return;
    const words = side.filter(([, values]) => values[index]).map(([part, values]) => `${titled(part)} ${grouped(values[index])}`).join(', ');
    const bar = drawn('g', {}, drawn('title', {}, `${duration(start + index * width)}: ${plural(bytes, 'byte')} ${name} in ${duration(width)}: ${words}`));
    let at = zero;
    for (const [part, values] of side) {
      if (!values[index]) continue;
      const height = Math.max(perSecond(values[index]) * scale, side.length === 1 ? 1 : 0);
      bar.append(drawn('rect', {
        x: size.left + index * step, width: Math.max(step - (step > 4 ? 1 : 0), .8), y: direction < 0 ? at - height : at, height,
        fill: color(part),
      }));
      at += direction * height;
    }
    drawing.append(bar);
  });
  draw(above, totals[0], 'down', -1);
  draw(below, totals[1], 'up', 1);
  const span = count * width;
  niceTicks(span, size.width < 500 ? 3 : 6).filter((tick) => tick <= span).forEach((tick) => {
    const x = size.left + tick / width * step;
    drawing.append(drawn('text', {
      x, y: size.height - 6, 'text-anchor': tick === 0 ? 'start' : x > size.width - 30 ? 'end' : 'middle',
    }, tick === 0 ? '0' : duration(tick)));
  });
  const names = [...new Set([...above, ...below].map(([part]) => part))];
  return [legend(names.map((part) => [titled(part), color(part)])), element('figure', {}, drawing)];
}

/** Lists of one length added up, place by place; empty ones stand for zeros. */
function sumOfLists(lists) {
  const full = lists.filter((values) => values.length);
  return full.length ? full[0].map((_, index) => sum(full.map((values) => values[index]))) : [];
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
