import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What came of pages that were opened together. */
export interface Opened {
  read: string[];
  moved: string[];
  windows: number;
  /** In which pages ran, at least so many of them. */
  frames: number;
  /** Of which a process has ended. */
  crashed: number;
}

type Answer = { value: unknown } | { failure: string };

/** A browser in a process of its own (`browser.mjs`); one call at a time. */
export class EscapeBrowser {
  private constructor(private readonly child: ChildProcess) {}

  static async launch(executablePath: string, args: string[]): Promise<EscapeBrowser> {
    // Without Jest's own options of Node.
    const child = fork(join(__dirname, 'browser.mjs'), [], { execArgv: [] });
    const browser = new EscapeBrowser(child);
    await browser.call('launch', { executablePath, args });
    return browser;
  }

  /** @param wanted as many frames are waited for */
  open(given: { urls: string[]; wanted: number; settledMs: number }): Promise<Opened> {
    return this.call('open', given) as Promise<Opened>;
  }

  /** Has a page, which stays open, run the script. */
  async run(url: string, script: string): Promise<void> {
    await this.call('run', { url, script });
  }

  async close(): Promise<void> {
    if (!this.child.connected) return;
    await this.call('close', {});
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private async call(call: string, given: object): Promise<unknown> {
    const ended = new AbortController();
    const { signal } = ended;
    const gone = once(this.child, 'exit', { signal }).then(([code]) => {
      throw new Error(`The process of the browser ended with ${String(code)}.`);
    });
    gone.catch(() => undefined);
    try {
      const answered = once(this.child, 'message', { signal });
      answered.catch(() => undefined);
      this.child.send({ call, ...given });
      const [answer] = (await Promise.race([answered, gone])) as [Answer];
      if ('failure' in answer) throw new Error(answer.failure);
      return answer.value;
    } finally {
      ended.abort();
    }
  }
}
