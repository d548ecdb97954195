import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';

/** Tells the supervisor that started this process that it works. Without a supervisor nothing happens. */
export function announceReady(info: Record<string, unknown> = {}): void {
  tellSupervisor('ready', info);
  if (process.send) setInterval(tellAlive, ALIVE_EVERY_MS).unref();
}

const ALIVE_EVERY_MS = 2000;

/** A supervisor that hears nothing for long takes this process for hung. */
function tellAlive(): void {
  // Its channel may close in this moment, which ends this process (see below).
  if (process.connected) process.send?.({ type: 'alive' }, undefined, undefined, () => undefined);
}

/** News for whoever started this process; without a supervisor nothing happens. */
export function tellSupervisor(type: string, info: Record<string, unknown>): void {
  if (process.connected) process.send?.({ type, ...info });
}

export interface GracefulStop {
  /** At the signal: from now on others should get the work. */
  leave?(): void;
  /** How long the app then works on as before, until everybody has noticed; after SIGTERM alone. */
  delayMs?: number;
  /** Then: what is under way ends while all that it needs still works. `signal` aborts when the time for it is over. */
  drain?(signal: AbortSignal): Promise<void>;
  /** How long that may take; after SIGTERM alone. */
  drainMs?: number;
  /** Once the app is closed. */
  closed?(): Promise<void>;
}

async function end(app: INestApplicationContext, afterwards: () => Promise<void>): Promise<void> {
  const [ended] = await Promise.allSettled([app.close()]);
  await Promise.allSettled([afterwards()]);
  process.exit(ended.status === 'fulfilled' ? 0 : 1);
}

/**
 * Stops the app, drained, on SIGTERM and SIGINT, and also when the supervisor's channel closes: a supervisor that
 * was killed must not leave its apps behind. A second signal ends the delay and the drain.
 */
export function stopGracefully(
  app: INestApplicationContext,
  {
    leave = () => {},
    delayMs = 0,
    drain = () => Promise.resolve(),
    drainMs = 0,
    closed = () => Promise.resolve(),
  }: GracefulStop = {},
): void {
  const hurry = new AbortController();
  let isStopping = false;
  const stop = (mayWait: boolean) => {
    if (isStopping || !mayWait) hurry.abort();
    if (isStopping) return;
    isStopping = true;
    // Bull leaves commands that wait for a lost Redis to reject unheard once their connection is closed. That must not
    // cut the drain short: what is held is still to be given back.
    process.on('unhandledRejection', (reason) => process.stderr.write(`While stopping: ${String(reason)}\n`));
    leave();
    void work();
  };
  const work = async () => {
    const { signal } = hurry;
    if (delayMs > 0) await sleep(delayMs, null, { signal }).catch(() => null);
    if (!signal.aborted) {
      const [drained] = await Promise.allSettled([drain(AbortSignal.any([signal, AbortSignal.timeout(drainMs)]))]);
      if (drained.status === 'rejected') process.stderr.write(`While stopping: ${String(drained.reason)}\n`);
    }
    await end(app, closed);
  };
  process.on('SIGTERM', () => stop(true));
  process.on('SIGINT', () => stop(false));
  process.once('disconnect', () => stop(false));
}
