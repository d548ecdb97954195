import type { PageWindow } from 'jsdom';

/** Between a page and the process that it is opened in. */
export interface Bridge {
  /** What the page tells its shell, as JSON. */
  send(message: string): void;
  /** Set by the page's world: what the shell tells it. */
  deliver(message: string): void;
  problem(line: string): void;
  drawn(): void;
}

/**
 * Runs within the page before anything else, so that what it makes is the page's own: what jsdom does not have, what pages
 * must not have, and the shell's end of the port that the page API speaks through.
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

  window.structuredClone ??= function clone(value) {
    if (Array.isArray(value)) return value.map(clone);
    if (value instanceof Date) return new Date(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, clone(one)]));
  };

  const port = { onmessage: null, close: nothing, postMessage: (message) => bridge.send(stringify(message)) };
  bridge.deliver = (message) => port.onmessage?.({ data: parse(message) });
  window.addEventListener('message', ({ data }) => {
    if (data !== 'atrium:ready') return;
    const event = new Event('message');
    Object.defineProperties(event, { data: { value: 'atrium:port' }, source: { value: window.parent }, ports: { value: [port] } });
    window.dispatchEvent(event);
  });

  const plain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const parts = (spec) => ['layer', 'concat', 'hconcat', 'vconcat'].flatMap((name) => Array.isArray(spec[name]) ? spec[name] : [])
    .concat(plain(spec.spec) ? [spec.spec] : []).filter(plain);
  const fieldsOf = (spec) => Object.values(plain(spec.encoding) ? spec.encoding : {})
    .flatMap((channel) => plain(channel) && typeof channel.field === 'string' ? [channel.field] : [])
    .concat(parts(spec).flatMap(fieldsOf));
  const makesFields = (spec) => spec.transform !== undefined || spec.repeat !== undefined || parts(spec).some(makesFields);
  /** What a chart draws without a word where its rows are others than it thinks. */
  Object.defineProperty(window, '__atriumInspect', { value: (spec, rows) => {
    bridge.drawn();
    if (!plain(spec)) return tell('atrium.chart: the second argument is no Vega-Lite specification.');
    const values = rows ?? spec.data?.values;
    if (!Array.isArray(values)) return tell('atrium.chart: give it what atrium.query gave, or an array of objects, as the third argument.');
    if (values.length === 0) return tell('atrium.chart: a chart has no rows to show.');
    if (!plain(values[0])) return tell('atrium.chart: rows have to be objects: give it what atrium.query gave, not its rows.');
    if (makesFields(spec)) return;
    const names = Object.keys(values[0]);
    for (const field of new Set(fieldsOf(spec)))
      if (!names.includes(field.replace(/\\\\/g, '')))
        tell('atrium.chart: the rows have no column ' + stringify(field) + '; they have ' + names.join(', ') + '.');
  } });
})`;

export function makeWorld(window: PageWindow, bridge: Bridge): void {
  const make = window.eval(WORLD) as (bridge: Bridge) => void;
  make(bridge);
}

/** Behind the bundle of charts. */
export const INSPECTION = `;(() => {
  const draw = window.__atriumCharts;
  window.__atriumCharts = (target, spec, rows, ...more) => {
    window.__atriumInspect(spec, rows);
    return draw(target, spec, rows, ...more);
  };
})();`;
