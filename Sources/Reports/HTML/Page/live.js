// The page of a run that goes on: what is newer comes from where the page came from, and is drawn when that disturbs nobody.

const live = { pending: null, isPaused: false, shown: data.live, state: 'Connecting' };
const liveState = element('span', { role: 'status' });
// No part of the status: nobody wants to be told each second.
const liveTime = element('span', {});
const pause = element('button', {
  type: 'button', id: 'pause', onclick: () => {
    live.isPaused = !live.isPaused;
    pause.textContent = live.isPaused ? 'Go on' : 'Pause';
    settle();
  },
}, 'Pause');
document.getElementById('when').after(element('p', { id: 'live' }, liveState, liveTime));
document.getElementById('theme').before(pause);

/** Why what is newer is not drawn now; null when it is. */
function holding() {
  if (live.isPaused) return 'paused';
  const active = document.activeElement;
  if (main.querySelector('[aria-expanded="true"], details[open]')) return 'waiting until what is open is closed';
  if (main.contains(active) && active.matches('select, input[type="search"]')) return 'waiting until the field is left';
  if (!getSelection().isCollapsed) return 'waiting while text is selected';
  return document.hidden ? 'waiting until the page is seen' : null;
}

/** Draws what is newer, unless it has to wait, and says how it stands. */
function settle() {
  const reason = live.pending ? holding() : live.isPaused ? 'paused' : null;
  if (live.pending && !reason) {
    drawAgain(live.pending);
    live.shown = live.pending.live;
    live.pending = null;
  }
  const words = [live.state, reason].filter((text) => text).join(', ');
  if (liveState.textContent !== words) liveState.textContent = words;
  liveTime.textContent = ` · as of ${moment(live.shown.time)}`;
}

/** Draws the page with other data; who was somewhere on it still is. */
function drawAgain(data) {
  const focusable = 'a, button, input, select, [tabindex]';
  const region = document.activeElement.closest('section[id], #sections');
  const index = region ? [...region.querySelectorAll(focusable)].indexOf(document.activeElement) : -1;
  const top = window.scrollY;
  show(data);
  sayWhatIsMissing(data);
  if (region) document.getElementById(region.id)?.querySelectorAll(focusable)[index]?.focus({ preventScroll: true });
  window.scrollTo({ top, behavior: 'instant' });
}

/** Some tables have only rows that nothing can change any more, which takes a while after the traffic. */
function sayWhatIsMissing(data) {
  if (data.live.over) return;
  main.querySelector('.tiles').after(element('p', { class: 'notice' },
    'Totals, exchanges, header fields and contents are current; connections appear about 30 s after they close.'));
}

function follow() {
  const events = new EventSource(`events?after=${live.shown.version}`);
  const say = (state) => { live.state = state; settle(); };
  events.onopen = () => say('Live');
  events.onerror = () => say(events.readyState === EventSource.CLOSED ? 'Not live: the run gives no more' : 'Not live: the run does not answer');
  events.onmessage = (event) => {
    live.pending = JSON.parse(event.data);
    if (live.pending.live.over) events.close();
    say(live.pending.live.over ? 'The run has ended' : 'Live');
  };
}

for (const change of ['click', 'focusout', 'visibilitychange', 'selectionchange']) {
  document.addEventListener(change, () => { if (live.pending) setTimeout(settle); });
}
sayWhatIsMissing(data);
settle();
follow();
