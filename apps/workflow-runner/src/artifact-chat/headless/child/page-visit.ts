import { JSDOM, type PageElement, type PageWindow, VirtualConsole } from 'jsdom';
import type { PageOrder, PageOutcome, PageReport } from '../page-messages.js';
import { type Bridge, INSPECTION, makeWorld } from './page-world.js';

const MAX_LINES = 40;
const MAX_LINE = 500;
const MAX_TEXT = 4_000;
const MAX_ASKED = 200;
/** Without anything to wait for. */
const QUIET_MS = 300;
const TICK_MS = 25;

/** Of which a page may only name what it has itself. */
const OUTSIDE = [
  ['script[src]', 'src'],
  ['link[href]', 'href'],
  ['img[src]', 'src'],
  ['iframe', 'src'],
  ['object', 'data'],
  ['embed', 'src'],
  ['video[src], audio[src], source[src]', 'src'],
] as const;

interface PageMessage {
  type: string;
  id?: number;
  name?: unknown;
  params?: unknown;
}

type Ask = (name: string, params: Record<string, unknown>) => Promise<PageOutcome>;

/** Opens a page, waits until it has done what it does by itself, and says what came of it. */
export class PageVisit {
  private readonly problems = new Set<string>();
  private readonly notes = new Set<string>();
  private drawings = 0;
  private asked = 0;
  private open = 0;
  private busyUntil = 0;
  private readonly hurried: number;

  constructor(
    private readonly order: Extract<PageOrder, { type: 'open' }>,
    private readonly ask: Ask,
  ) {
    this.hurried = performance.now() + order.waitMs;
  }

  async report(): Promise<PageReport> {
    process.on('unhandledRejection', (reason) => this.problem(`Unhandled rejection: ${told(reason)}`));
    process.on('uncaughtException', (error) => this.problem(`Error: ${told(error)}`));
    const console = new VirtualConsole();
    console.on('jsdomError', (error: Error & { type?: string }) => this.hear(error));
    for (const level of ['error', 'warn'])
      console.on(level, (...said: unknown[]) => this.note(`console.${level}: ${said.map(told).join(' ')}`));
    const { window } = new JSDOM(this.order.document, {
      runScripts: 'dangerously',
      pretendToBeVisual: true,
      virtualConsole: console,
      beforeParse: (opened) => makeWorld(opened, this.bridge()),
    });
    await this.settled(window);
    return this.look(window);
  }

  private bridge(): Bridge {
    const bridge: Bridge = {
      send: (message) => void this.hearPage(JSON.parse(message) as PageMessage, bridge),
      deliver: () => undefined,
      problem: (line) => this.problem(line),
      drawn: () => {
        this.drawings += 1;
      },
    };
    return bridge;
  }

  /** As the shell does. What fails in a page is heard by other ways, too. */
  private async hearPage({ type, id, name, params }: PageMessage, bridge: Bridge): Promise<void> {
    if (type !== 'query' && type !== 'charts') return;
    this.open += 1;
    try {
      const answer = type === 'charts' ? { source: this.order.charts + INSPECTION } : await this.answer(name, params);
      bridge.deliver(JSON.stringify({ ...answer, type: 'answer', id }));
    } finally {
      this.open -= 1;
      this.busyUntil = performance.now() + QUIET_MS;
    }
  }

  private async answer(name: unknown, params: unknown): Promise<PageOutcome> {
    this.asked += 1;
    if (this.asked > MAX_ASKED) {
      this.problem(`The page asks more than ${MAX_ASKED} queries when it is opened.`);
      return { error: { code: 'too_many_queries', message: 'Too many queries.' } };
    }
    if (typeof name !== 'string') this.problem('atrium.query: a query is asked for by its name.');
    const isObject = typeof params === 'object' && params !== null && !Array.isArray(params);
    if (!isObject) this.problem('atrium.query: parameters are an object, by their names.');
    return this.ask(String(name), isObject ? (params as Record<string, unknown>) : {});
  }

  private async settled(window: PageWindow): Promise<void> {
    this.busyUntil = performance.now() + QUIET_MS;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      const now = performance.now();
      if (window.document.readyState === 'complete' && this.open === 0 && now > this.busyUntil) return;
      if (now > this.hurried && this.open === 0) return;
    }
  }

  private hear(error: Error & { type?: string }): void {
    const { type, message } = error;
    if (type === 'unhandled-exception') this.problem(`Script error: ${told(error.cause ?? error)}`);
    else if (type === 'not-implemented' && /navigation/i.test(message))
      this.problem('The page tries to leave itself: it cannot navigate.');
    else if (type !== 'resource-loading') this.note(message);
  }

  private look({ document }: PageWindow): PageReport {
    for (const [selector, attribute] of OUTSIDE)
      for (const element of document.querySelectorAll(selector)) this.lookOutside(element, attribute);
    for (const script of document.querySelectorAll('script[type="module"]'))
      this.problem(
        `A script is a module (${short(script.textContent)}): write a plain <script>, which may use async functions.`,
      );
    for (const _ of document.querySelectorAll('meta[http-equiv="refresh" i]'))
      this.problem('A page cannot navigate: <meta http-equiv="refresh"> has no effect.');
    const pictures = [...document.querySelectorAll('svg, canvas, img')].length;
    for (const hidden of document.querySelectorAll('script, style, template, noscript, svg')) hidden.remove();
    const text = (document.body?.textContent ?? '')
      .replaceAll(/[ \t]+/g, ' ')
      .replaceAll(/\s*\n\s*/g, '\n')
      .trim();
    if (text === '' && pictures === 0) this.problem('The page is empty: nothing stands in its body.');
    return {
      problems: [...this.problems],
      notes: [...this.notes],
      text: text.slice(0, MAX_TEXT).toWellFormed(),
      drawings: this.drawings + pictures,
    };
  }

  private lookOutside(element: PageElement, attribute: string): void {
    const name = element.tagName.toLowerCase();
    const address = element.getAttribute(attribute) ?? '';
    if (['iframe', 'object', 'embed'].includes(name)) this.problem(`<${name}> does not work in a page.`);
    else if (name === 'link' && !/stylesheet|icon|preload/i.test(element.getAttribute('rel') ?? '')) return;
    else if (!/^(?:data|blob):/i.test(address) || name === 'script')
      this.problem(
        `<${name} ${attribute}="${short(address)}"> cannot be loaded: a page has no network, and everything stands in it.`,
      );
  }

  private problem(line: string): void {
    if (this.problems.size < MAX_LINES) this.problems.add(line.slice(0, MAX_LINE).toWellFormed());
  }

  private note(line: string): void {
    if (this.notes.size < MAX_LINES) this.notes.add(line.slice(0, MAX_LINE).toWellFormed());
  }
}

function told(value: unknown): string {
  try {
    // Errors of the page belong to another realm.
    const { name, message, stack } = value as { name?: unknown; message?: unknown; stack?: unknown };
    if (typeof message !== 'string') return String(value);
    const [, line] = /about:blank:(\d+)/.exec(String(stack)) ?? [];
    return `${String(name)}: ${message}${line === undefined ? '' : ` (line ${line} of its script)`}`;
  } catch {
    return 'something that cannot be read';
  }
}

const short = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 80);
