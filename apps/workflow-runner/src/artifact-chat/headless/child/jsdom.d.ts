/** Of jsdom, what the check of pages uses. */
declare module 'jsdom' {
  import type { EventEmitter } from 'node:events';

  export class VirtualConsole extends EventEmitter {}

  export interface PageWindow extends EventTarget {
    readonly document: PageDocument;
    eval(code: string): unknown;
    close(): void;
    [name: string]: unknown;
  }

  export interface PageElement {
    readonly tagName: string;
    readonly textContent: string | null;
    getAttribute(name: string): string | null;
    remove(): void;
  }

  export interface PageDocument {
    readonly body: PageElement | null;
    readonly readyState: string;
    querySelectorAll(selector: string): Iterable<PageElement>;
  }

  export interface PageOptions {
    url?: string;
    runScripts?: 'dangerously' | 'outside-only';
    pretendToBeVisual?: boolean;
    virtualConsole?: VirtualConsole;
    beforeParse?(window: PageWindow): void;
  }

  export class JSDOM {
    constructor(html: string, options?: PageOptions);
    readonly window: PageWindow;
  }
}
