import type { INestApplicationContext } from '@nestjs/common';

/** Tells the supervisor that started this process that it works. Without a supervisor nothing happens. */
export function announceReady(info: Record<string, unknown> = {}): void {
  process.send?.({ type: 'ready', ...info });
  if (process.send) setInterval(tellAlive, ALIVE_EVERY_MS).unref();
}

const ALIVE_EVERY_MS = 2000;

/** A supervisor that hears nothing for long takes this process for hung. */
function tellAlive(): void {
  // Its channel may close in this moment, which ends this process (see below).
  if (process.connected) process.send?.({ type: 'alive' }, undefined, undefined, () => undefined);
}

/**
 * Stops the app, drained, on SIGTERM and SIGINT, and also when the supervisor's channel closes: a supervisor that
 * was killed must not leave its apps behind.
 */
export function stopGracefully(app: INestApplicationContext, beforeClose: () => void = () => {}): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // Bull leaves commands that wait for a lost Redis to reject unheard once their connection is closed. That must not
    // cut the drain short: what is held is still to be given back.
    process.on('unhandledRejection', (reason) => process.stderr.write(`While stopping: ${String(reason)}\n`));
    beforeClose();
    app.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);
}
