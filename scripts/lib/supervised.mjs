import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, signal } from './processes.mjs';

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;
const STABLE_AFTER_MS = 60_000;

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * Keeps one child process running: when it ends unasked it is started again, after a pause that doubles with each
 * failure and is forgotten after a minute of health.
 */
export class Supervised {
  /** @type {ChildProcess | null} */
  #child = null;
  #stopping = false;
  #failures = 0;

  /**
   * @param {{
   *   name: string,
   *   launch: (track: (child: ChildProcess) => void) => Promise<ChildProcess>,
   *   report: (text: string) => void,
   *   ask?: NodeJS.Signals,
   *   patienceMs?: number,
   * }} options `launch` hands the child to `track` as soon as it exists and resolves once it is ready
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
      if (this.#stopping) return;
      if (Date.now() - readyAt > STABLE_AFTER_MS) this.#failures = 0;
      void this.#restart(`ended unasked (${killedBy ?? `code ${code}`})`);
    };
    // Between its readiness and now it can have ended already.
    if (child.exitCode !== null || child.signalCode !== null) ended(child.exitCode, child.signalCode);
    else child.once('exit', ended);
  }

  async #restart(cause) {
    const { name, report } = this.options;
    for (let problem = cause; !this.#stopping;) {
      const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS);
      this.#failures += 1;
      report(`${name} ${problem}; starting it again in ${delay / 1000} s`);
      await sleep(delay);
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

  async stop() {
    this.#stopping = true;
    const { name, ask, patienceMs, report } = this.options;
    if (!this.#child?.pid) return;
    const polite = await endProcess(this.#child.pid, { ask, patienceMs });
    if (!polite) report(`${name} did not end in time and was killed`);
  }

  /** Without any patience. */
  kill() {
    this.#stopping = true;
    if (!this.#child?.pid) return;
    signal(this.#child.pid, 'SIGKILL');
    signal(-this.#child.pid, 'SIGKILL');
  }
}
