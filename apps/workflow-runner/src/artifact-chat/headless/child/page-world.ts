import type { PageWindow } from 'jsdom';

/** What a page meets that jsdom does not have, or that pages must not have. */
export interface Bridge {
  /** @returns JSON of a `PageOutcome`. */
  ask(name: string, params: string): Promise<string>;
  /** JSON. */
  state: string;
  problem(line: string): void;
  drawn(): void;
}

/**
 * Runs within the page, so that what it makes is the page's own. The page API is that of docs/contract/artifacts.md; charts
 * are looked at and not drawn: their drawing is the same for all pages, and has tests of its own.
 */
const WORLD = `(function (bridge) {
  'use strict';
  const { parse, stringify } = JSON;
  const tell = (line) => bridge.problem(String(line).slice(0, 500));
  const refuse = (what) => function () {
    tell(what + ' does not work in a page: it has no network, and everything that it shows comes from atrium.query.');
    throw new TypeError(what + ' is not available in a page.');
  };
  for (const name of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'SharedWorker', 'importScripts'])
    Object.defineProperty(window, name, { value: refuse(name), configurable: true, writable: true });
  navigator.sendBeacon = refuse('sendBeacon');
  for (const name of ['alert', 'confirm', 'prompt', 'open', 'print'])
    window[name] = () => { tell(name + '() does not work in a page.'); return null; };
  const unsafe = (target, name) => new Proxy(target, {
    apply() { tell(name + ' does not work in a page.'); throw new EvalError(name + ' is not allowed in a page.'); },
    construct() { tell(name + ' does not work in a page.'); throw new EvalError(name + ' is not allowed in a page.'); },
  });
  window.Function = unsafe(Function, 'new Function()');
  window.eval = unsafe(window.eval, 'eval()');

  const nothing = () => undefined;
  const observer = class { observe() {} unobserve() {} disconnect() {} takeRecords() { return []; } };
  for (const name of ['ResizeObserver', 'IntersectionObserver']) window[name] ??= observer;
  window.matchMedia ??= (media) => ({ media, matches: false, onchange: null, addListener: nothing, removeListener: nothing,
    addEventListener: nothing, removeEventListener: nothing, dispatchEvent: () => false });
  window.scrollTo = window.scrollBy = nothing;
  Element.prototype.scrollIntoView ??= nothing;
  Element.prototype.animate ??= () => ({ cancel: nothing, finish: nothing, play: nothing, pause: nothing, finished: Promise.resolve() });
  const box = () => ({ x: 0, y: 0, width: 0, height: 0 });
  SVGElement.prototype.getBBox ??= box;
  SVGElement.prototype.getComputedTextLength ??= function () { return (this.textContent || '').length * 7; };
  const pen = (canvas) => new Proxy({}, {
    get: (own, name) => name in own ? own[name]
      : name === 'canvas' ? canvas
      : name === 'measureText' ? (text) => ({ width: String(text).length * 7 })
      : name === 'getImageData' ? (x, y, width, height) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) })
      : () => ({ addColorStop: nothing }),
    set: (own, name, value) => { own[name] = value; return true; },
  });
  HTMLCanvasElement.prototype.getContext = function (kind) { bridge.drawn(); return kind === '2d' ? pen(this) : null; };
  HTMLCanvasElement.prototype.toDataURL = () => 'data:,';

  const plain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const freeze = (value) => {
    if (typeof value === 'object' && value !== null) { Object.values(value).forEach(freeze); Object.freeze(value); }
    return value;
  };
  const MARKS = ['mark', 'layer', 'concat', 'hconcat', 'vconcat', 'facet', 'repeat', 'spec'];
  const fieldsOf = (spec) => !plain(spec) ? [] : [
    ...Object.values(plain(spec.encoding) ? spec.encoding : {}).flatMap((channel) =>
      plain(channel) && typeof channel.field === 'string' ? [channel.field] : []),
    ...['layer', 'concat', 'hconcat', 'vconcat'].flatMap((name) => Array.isArray(spec[name]) ? spec[name].flatMap(fieldsOf) : []),
    ...fieldsOf(spec.spec),
  ];
  const transforms = (spec) => plain(spec) && (spec.transform !== undefined || Object.values(spec).some((one) =>
    Array.isArray(one) ? one.some(transforms) : plain(one) && transforms(one)));
  const atrium = {
    query(name, params) {
      return Promise.resolve().then(() => bridge.ask(String(name), stringify(params ?? {}) ?? '{}')).then((text) => {
        const outcome = parse(text);
        if (outcome.error) throw Object.assign(new Error(outcome.error.message), { name: 'QueryError', code: outcome.error.code });
        return outcome;
      });
    },
    state: freeze(parse(bridge.state)),
    theme: 'light',
    async chart(element, spec, rows) {
      const place = typeof element === 'string' ? document.querySelector(element) : element;
      if (!(place instanceof Element)) throw new TypeError('atrium.chart: there is no such element.');
      if (!plain(spec) || !MARKS.some((name) => name in spec)) throw new TypeError('atrium.chart: the second argument is no Vega-Lite specification.');
      const given = plain(rows) && Array.isArray(rows.rows) ? rows : { rows };
      const values = given.rows ?? spec.data?.values;
      if (!Array.isArray(values)) throw new TypeError('atrium.chart: the third argument has to be rows.');
      const names = Array.isArray(given.columns) ? given.columns.map((column) => column.name ?? column)
        : plain(values[0]) ? Object.keys(values[0]) : null;
      if (names && !transforms(spec))
        for (const field of new Set(fieldsOf(spec)))
          if (!names.includes(field.replace(/\\\\/g, ''))) tell('atrium.chart: the rows have no column ' + stringify(field) + '; they have ' + names.join(', ') + '.');
      if (values.length === 0) tell('atrium.chart: a chart has no rows to show.');
      const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      drawing.setAttribute('role', 'img');
      place.replaceChildren(drawing);
      bridge.drawn();
      return undefined;
    },
  };
  Object.defineProperty(window, 'atrium', { value: Object.freeze(atrium) });
})`;

export function makeWorld(window: PageWindow, bridge: Bridge): void {
  const make = window.eval(WORLD) as (bridge: Bridge) => void;
  make(bridge);
}
