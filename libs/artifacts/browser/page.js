// Runs in every page before anything of its own (docs/contract/artifacts.md#page-api). The page is not trusted, and neither is
// this, once the page runs beside it: it can do what the page could do without it. What keeps data in is outside: the shell,
// and the policies of the frames.
(() => {
  'use strict';
  const opened = JSON.parse(document.currentScript.dataset.opened);
  document.currentScript.remove();
  // Browsers that know `Connection-Allowlist` keep these from reaching anybody; for others they are not there.
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'RTCDataChannel', 'WebTransport'])
    delete window[name];

  const LATE_MS = 40_000;
  const holder = window.parent;
  const asked = new Map();
  const themeListeners = new Set();
  const waiting = [];
  let lastId = 0;
  let port = null;
  let theme = window.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  let charts = null;

  class QueryError extends Error {
    constructor({ code, message }) {
      super(message);
      this.name = 'QueryError';
      this.code = code;
    }
  }

  function send(message) {
    if (port) port.postMessage(message);
    // What cannot be sent fails now, and keeps nothing else back.
    else waiting.push(structuredClone(message));
  }

  function ask(message) {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        asked.delete(id);
        reject(new QueryError({ code: 'no_answer', message: 'There was no answer.' }));
      }, LATE_MS);
      asked.set(id, { resolve, reject, late });
      try {
        send({ ...message, id });
      } catch {
        settle({ id, error: { code: 'invalid_params', message: 'What is asked cannot be sent.' } });
      }
    });
  }

  function settle({ id, error, ...answer }) {
    const call = asked.get(id);
    if (!call) return;
    asked.delete(id);
    clearTimeout(call.late);
    if (error) call.reject(new QueryError(error));
    else call.resolve(answer);
  }

  /** Rows as objects by the names of their columns. */
  function objectsOf({ columns, rows }) {
    const names = columns.map(({ name }) => name);
    return rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]])));
  }

  function show(next) {
    theme = next === 'dark' ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
  }

  const receive = {
    answer: settle,
    theme({ theme: next }) {
      show(next);
      for (const listener of themeListeners) listener(theme);
    },
    ping: ({ beat }) => send({ type: 'pong', beat }),
  };

  window.addEventListener('message', (event) => {
    if (event.source !== holder || event.data !== 'atrium:port' || !event.ports[0]) return;
    event.stopImmediatePropagation();
    port?.close();
    [port] = event.ports;
    port.onmessage = ({ data }) => {
      if (Object.hasOwn(receive, data?.type)) receive[data.type](data);
    };
    for (const message of waiting.splice(0)) port.postMessage(message);
    tellHeight();
  });

  function tellHeight() {
    if (port) port.postMessage({ type: 'height', height: document.documentElement.scrollHeight });
  }

  async function loadCharts() {
    const { source } = await ask({ type: 'charts' });
    const script = document.createElement('script');
    script.textContent = source;
    document.head.append(script);
    script.remove();
    const draw = window.__atriumCharts;
    delete window.__atriumCharts;
    return draw;
  }

  async function chart(element, spec, rows) {
    charts ??= loadCharts();
    const draw = await charts;
    const target = typeof element === 'string' ? document.querySelector(element) : element;
    if (!target) throw new Error(`There is no element ${String(element)}.`);
    return draw(target, spec, Array.isArray(rows) ? rows : rows?.objects?.(), () => theme, atrium.onTheme);
  }

  const atrium = Object.freeze({
    async query(name, params = {}) {
      const result = await ask({ type: 'query', name, params });
      return { ...result, objects: () => objectsOf(result) };
    },
    chart,
    print: () => send({ type: 'print' }),
    onTheme(listener) {
      themeListeners.add(listener);
      return () => themeListeners.delete(listener);
    },
    get state() {
      return opened.state;
    },
    get theme() {
      return theme;
    },
    artifact: Object.freeze(opened.artifact),
  });
  Object.defineProperty(window, 'atrium', { value: atrium, writable: false, configurable: false });

  /** Within the page; its own address is not the base of its links, since its frame is one of `srcdoc`. */
  function goTo(fragment) {
    window.location.hash = fragment;
    let name = fragment;
    try {
      name = decodeURIComponent(fragment);
    } catch {
      // Browsers look for what does not decode as it is, too.
    }
    const place = document.getElementById(name) ?? document.getElementsByName(name)[0];
    // The address may have been this one already, and then nothing has moved.
    if (place) place.scrollIntoView();
    else if (name === '' || name.toLowerCase() === 'top') window.scrollTo(0, 0);
  }

  const hrefOf = (element) =>
    element instanceof Element && /^(?:a|area)$/i.test(element.localName)
      ? (element.getAttribute('href') ?? element.getAttributeNS('http://www.w3.org/1999/xlink', 'href'))
      : null;

  // A link that leads away is refused by the policy around the page, and the refusal stands where the page was.
  window.addEventListener('click', (event) => {
    if (event.defaultPrevented) return;
    const href = event
      .composedPath()
      .map(hrefOf)
      .find((one) => one !== null)
      ?.trim();
    if (href === undefined || /^javascript:/i.test(href)) return;
    event.preventDefault();
    if (href.startsWith('#')) goTo(href.slice(1));
  });

  // So is a form that is sent; one of a dialog only closes it.
  window.addEventListener('submit', (event) => {
    const method = event.submitter?.getAttribute('formmethod') ?? event.target.getAttribute('method');
    if (method?.toLowerCase() !== 'dialog') event.preventDefault();
  });

  show(theme);
  // What fails without being caught is told where somebody who builds pages looks.
  const tell = (message) => send({ type: 'failed', message: String(message).slice(0, 500) });
  window.addEventListener('error', ({ message }) => tell(message));
  window.addEventListener('unhandledrejection', ({ reason }) => tell(reason?.message ?? reason));
  window.addEventListener('DOMContentLoaded', () => new ResizeObserver(tellHeight).observe(document.documentElement));
  holder.postMessage('atrium:ready', '*');
})();
