// The trusted half of a page (docs/concepts/pages.md): it holds the token, calls the platform, and speaks with the page by a
// port alone. Whatever comes through the port was written by a stranger.
(() => {
  'use strict';
  const opened = JSON.parse(document.getElementById('opened').textContent);
  const BEAT_MS = 2000;
  const SILENT_MS = 5000;
  const RENEW_BEFORE_MS = 60_000;
  /** After a renewal that failed, or was for a short time. */
  const RENEW_AGAIN_MS = 15_000;
  /** Queries that wait for each other's company before they leave together. */
  const TICK_MS = 4;
  const MOST_AT_ONCE = 50;
  const MOST_WAITING = 500;
  const MOST_PARAMS = 16_384;
  /** Messages of any kind in one second. */
  const MOST_MESSAGES = 400;
  /** Times in one second that the page says it was loaded: each has another port. */
  const MOST_PORTS = 10;
  const MOST_NAME = 100;
  const TALLEST = 200_000;
  const base = new URL('../', location.href);

  const place = document.getElementById('page');
  const notice = document.getElementById('notice');
  let { token } = opened;
  let goodUntil = performance.now() + opened.seconds * 1000;
  let holder = null;
  let port = null;
  let theme = null;
  const queue = [];
  let waiting = 0;
  let timer = 0;
  let chartsSource = null;
  let messages = 0;
  let ports = 0;
  let heardAt = performance.now();
  let stopped = false;
  /** Whether the notice is about that. */
  let silent = false;

  function say(text, buttons = []) {
    notice.replaceChildren();
    notice.hidden = text === null;
    if (text === null) return;
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    notice.append(paragraph);
    for (const [label, action] of buttons) {
      const button = document.createElement('button');
      button.textContent = label;
      button.addEventListener('click', action);
      notice.append(button);
    }
  }

  class Refused extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }

  async function post(path, body) {
    const response = await fetch(new URL(path, base), {
      method: 'POST',
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-viewer-token': token },
      body: JSON.stringify(body),
    }).catch(() => {
      throw new Refused('unreachable', 'The platform cannot be reached.');
    });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new Refused(answer.code ?? `status_${response.status}`, answer.detail ?? 'The platform refused the call.');
  }

  let renewing = null;
  async function fetchToken() {
    try {
      const answer = await post('token/', {});
      token = answer.token;
      goodUntil = performance.now() + answer.expires_in * 1000;
    } finally {
      renewing = null;
    }
  }
  function renew() {
    renewing ??= fetchToken();
    return renewing;
  }

  const ENDED = new Set(['viewer_token_invalid', 'viewer_token_expired', 'view_ended', 'artifact_not_found']);
  let ended = false;
  function noticeEnd({ code, message }) {
    if (!ENDED.has(code)) return;
    ended = true;
    say(`${message} Open the page again from where you found it.`);
  }

  const isEnding = () => performance.now() > goodUntil - RENEW_BEFORE_MS;

  async function call(path, body) {
    try {
      if (isEnding()) await renew();
      return await post(path, body).catch(async (error) => {
        // Clocks of pages stand still while their machine sleeps, those of the platform do not.
        if (error.code !== 'viewer_token_expired') throw error;
        await renew();
        return post(path, body);
      });
    } catch (error) {
      noticeEnd(error);
      throw error;
    }
  }

  /** A page that asks for nothing stays as good as one that does. */
  let renewAt = 0;
  function stayGood(now) {
    if (ended || now < renewAt || !isEnding()) return;
    renewAt = now + RENEW_AGAIN_MS;
    renew().catch(noticeEnd);
  }

  function answer(to, id, message) {
    // The page may have been loaded anew meanwhile.
    if (to === port) port.postMessage({ ...message, type: 'answer', id });
  }

  const refuse = (to, id, code, message) => answer(to, id, { error: { code, message } });

  async function flush() {
    timer = 0;
    const batch = queue.splice(0, MOST_AT_ONCE);
    if (queue.length > 0) timer = setTimeout(flush, TICK_MS);
    try {
      const { results } = await call('data/', { queries: batch.map(({ name, params }) => ({ name, params })) });
      batch.forEach(({ to, id }, place) => answer(to, id, results[place]));
    } catch (error) {
      for (const { to, id } of batch) refuse(to, id, error.code ?? 'failed', error.message);
    } finally {
      waiting -= batch.length;
    }
  }

  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

  /** Own values alone, and of kinds that a parameter has. */
  function readParams(given) {
    if (given === undefined || given === null) return {};
    if (!isObject(given)) return null;
    const params = Object.create(null);
    for (const [name, value] of Object.entries(given)) {
      if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) return null;
      params[name] = value;
    }
    return JSON.stringify(params).length <= MOST_PARAMS ? params : null;
  }

  const receive = {
    query(to, { id, name, params: given }) {
      if (typeof name !== 'string' || name.length > MOST_NAME)
        return refuse(to, id, 'unknown_query', 'A query is asked for by its name.');
      const params = readParams(given);
      if (!params) return refuse(to, id, 'invalid_params', 'Parameters are texts, numbers, booleans or null, by name.');
      if (waiting >= MOST_WAITING) return refuse(to, id, 'too_many_queries', 'Too many queries wait already.');
      waiting += 1;
      queue.push({ to, id, name, params });
      timer ||= setTimeout(flush, TICK_MS);
    },
    charts(to, { id }) {
      chartsSource ??= fetch(opened.charts, { credentials: 'omit' }).then((response) => {
        if (!response.ok) throw new Error('The charts cannot be loaded.');
        return response.text();
      });
      chartsSource.then(
        (source) => answer(to, id, { source }),
        () => {
          chartsSource = null;
          refuse(to, id, 'unreachable', 'The charts cannot be loaded.');
        },
      );
    },
    height(_to, { height }) {
      if (Number.isFinite(height) && height > 0)
        document.documentElement.style.setProperty('--page-height', `${Math.min(Math.ceil(height), TALLEST)}px`);
    },
    print() {
      // A page may ask when somebody has just used it, not by itself.
      if (navigator.userActivation?.isActive) window.print();
    },
    pong() {
      if (silent && !stopped) say(null);
      silent = false;
    },
    failed(_to, { message }) {
      if (typeof message === 'string') tellEmbedder({ type: 'atrium:failed', message: message.slice(0, 500) });
    },
  };

  function hear(to, data) {
    heardAt = performance.now();
    messages += 1;
    if (messages > 2 * MOST_MESSAGES || !isObject(data) || typeof data.type !== 'string') return;
    if (!Object.hasOwn(receive, data.type)) return;
    const { id } = data;
    if (id !== undefined && !Number.isSafeInteger(id)) return;
    if (messages > MOST_MESSAGES) {
      if (id !== undefined) refuse(to, id, 'too_many_queries', 'Too many queries in one second.');
      return;
    }
    receive[data.type](to, data);
  }

  const isEmbedder = (origin) =>
    opened.embedders.includes(origin) ||
    (opened.localEmbedders &&
      /^https?:\/\/(?:localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/.test(origin));

  let embedder = null;
  function tellEmbedder(message) {
    if (embedder) window.parent.postMessage(message, embedder);
  }

  function adopt(next) {
    port?.close();
    port = next;
    port.onmessage = ({ data }) => {
      if (next === port) hear(next, data);
    };
    port.postMessage({ type: 'theme', theme: theme ?? systemTheme() });
  }

  function adoptWithin(next) {
    ports += 1;
    if (stopped || ports > MOST_PORTS) next.close();
    else adopt(next);
  }

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const systemTheme = () => (dark.matches ? 'dark' : 'light');
  function show(next) {
    theme = next;
    document.documentElement.style.colorScheme = next ?? '';
    port?.postMessage({ type: 'theme', theme: next ?? systemTheme() });
  }
  dark.addEventListener('change', () => show(theme));

  window.addEventListener('message', (event) => {
    const { source, origin, data } = event;
    if (holder && source === holder.contentWindow) {
      if (data === 'atrium:holder') source.postMessage({ page: opened.page }, '*');
      if (data === 'atrium:port' && event.ports[0]) adoptWithin(event.ports[0]);
      return;
    }
    if (window.parent === window || source !== window.parent || !isEmbedder(origin)) return;
    embedder = origin;
    if (isObject(data) && data.type === 'atrium:theme' && ['dark', 'light', 'system'].includes(data.theme))
      show(data.theme === 'system' ? null : data.theme);
  });

  function wait() {
    silent = false;
    heardAt = performance.now();
    say(null);
  }

  function stop() {
    stopped = true;
    silent = false;
    port?.close();
    port = null;
    holder.remove();
    holder = null;
    say('The page was stopped.', [['Start it again', start]]);
  }

  function start() {
    stopped = false;
    say(null);
    heardAt = performance.now();
    holder = document.createElement('iframe');
    holder.setAttribute('sandbox', 'allow-scripts allow-forms');
    holder.title = opened.title;
    holder.src = opened.holder;
    place.replaceChildren(holder);
  }

  let lastBeat = performance.now();
  setInterval(() => {
    messages = 0;
    ports = 0;
  }, 1000);
  setInterval(() => {
    const now = performance.now();
    // This frame itself stood still, or nobody looks: that says nothing about the page.
    if (document.hidden || now - lastBeat > 2 * BEAT_MS) heardAt = now;
    lastBeat = now;
    stayGood(now);
    if (stopped || !holder) return;
    port?.postMessage({ type: 'ping', beat: now });
    if (now - heardAt <= SILENT_MS || silent) return;
    silent = true;
    say('This page does not respond.', [
      ['Stop it', stop],
      ['Wait', wait],
    ]);
  }, BEAT_MS);

  start();
})();
