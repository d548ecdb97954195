import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, signal } from './processes.mjs';

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
const STABLE_AFTER_MS = 60_000;
const LISTEN_EVERY_MS = 1000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * Keeps one child process running: when it ends unasked it is started again, after a pause that doubles with each
 * failure and is forgotten after a minute of health.
 */
export class Supervised {
  /** @type {ChildProcess | null} */
  #child = null;
  #stopping = false;
  /** Children that are ended on purpose. */
  #leaving = new WeakSet();
  /** Ends the pause before the next try; null while there is none. */
  #wake = null;
  #isRecovering = false;
  #failures = 0;

  /**
   * @param {{
   *   name: string,
   *   launch: (track: (child: ChildProcess) => void) => Promise<ChildProcess>,
   *   report: (text: string) => void,
   *   ask?: NodeJS.Signals,
   *   timeoutMs?: number,
   *   hangSeconds?: number,
   * }} options `launch` hands the child to `track` as soon as it exists and resolves once it is ready;
   * a child that has said `{type: 'alive'}` and then nothing for `hangSeconds` is replaced (0: never)
   */
  constructor(options) {
    this.options = options;
  }

  /** The first start: a failure is the caller's to handle. */
  async start() {
    await this.#launch();
  }

  async #launch() {
    const child = await this.options.launch((spawned) => {
      this.#child = spawned;
      // A stop that came before the child existed could not end it.
      if (this.#stopping) signal(spawned.pid, 'SIGKILL');
    });
    const readyAt = Date.now();
    const ended = (code, killedBy) => {
      if (this.#stopping || this.#leaving.has(child)) return;
      if (Date.now() - readyAt > STABLE_AFTER_MS) this.#failures = 0;
      void this.#restart(`ended unasked (${killedBy ?? `code ${code}`})`);
    };
    this.#listen(child);
    // Between its readiness and now it can have ended already.
    if (child.exitCode !== null || child.signalCode !== null) ended(child.exitCode, child.signalCode);
    else child.once('exit', ended);
  }

  /** Counts its own turns, not the clock: a machine that slept heard nothing because it slept. */
  #listen(child) {
    const { name, report, hangSeconds = 60 } = this.options;
    let silent = null;
    child.on('message', (message) => message?.type === 'alive' && (silent = 0));
    const timer = setInterval(() => {
      if (silent === null || hangSeconds <= 0 || this.#stopping) return;
      silent += LISTEN_EVERY_MS / 1000;
      if (silent < hangSeconds) return;
      clearInterval(timer);
      report(`${name} has not answered for ${silent} s and is ended`);
      signal(child.pid, 'SIGKILL');
      signal(-child.pid, 'SIGKILL');
    }, LISTEN_EVERY_MS);
    timer.unref();
    child.once('exit', () => clearInterval(timer));
  }

  async #restart(cause) {
    this.#isRecovering = true;
    await this.#tryAgain(cause);
    this.#isRecovering = false;
  }

  async #tryAgain(cause) {
    const { name, report } = this.options;
    for (let problem = cause; !this.#stopping;) {
      const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
      this.#failures += 1;
      report(`${name} ${problem}; starting it again in ${delay / 1000} s`);
      await this.#pause(delay);
      if (this.#stopping) return;
      try {
        await this.#launch();
        report(`${name} runs again`);
        return;
      } catch (error) {
        problem = `did not come up (${error.message})`;
      }
    }
  }

  async #pause(ms) {
    const pause = new AbortController();
    this.#wake = () => pause.abort();
    await sleep(ms, undefined, { signal: pause.signal }).catch(() => {});
    this.#wake = null;
  }

  /**
   * Ends the child and starts another, because somebody wants it; where that fails it is tried again like after a crash.
   * @param {{ timeoutMs?: number }} [options] how long the child may take to end before it is killed
   */
  async restart({ timeoutMs = this.options.timeoutMs } = {}) {
    if (this.#stopping) return;
    this.#failures = 0;
    if (this.#isRecovering) {
      // Its next try is now; one that is under way began with what is old.
      if (this.#wake) this.#wake();
      else if (this.#child?.pid) signal(this.#child.pid, 'SIGKILL');
      return;
    }
    const { ask } = this.options;
    this.#leaving.add(this.#child);
    await endProcess(this.#child.pid, { ask, timeoutMs });
    if (this.#stopping) return;
    await this.#launch().catch((error) => void this.#restart(`did not come up (${error.message})`));
  }

  async stop() {
    this.#stopping = true;
    const { name, ask, timeoutMs, report } = this.options;
    if (!this.#child?.pid) return;
    const polite = await endProcess(this.#child.pid, { ask, timeoutMs });
    if (!polite) report(`${name} did not end in time and was killed`);
  }

  /** Without waiting. */
  kill() {
    this.#stopping = true;
    if (!this.#child?.pid) return;
    signal(this.#child.pid, 'SIGKILL');
    signal(-this.#child.pid, 'SIGKILL');
  }
}
