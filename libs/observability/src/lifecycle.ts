import type { INestApplicationContext } from '@nestjs/common';

/** Tells the supervisor that started this process that it works. Without a supervisor nothing happens. */
export function announceReady(info: Record<string, unknown> = {}): void {
  tellSupervisor('ready', info);
}

/** News for whoever started this process; without a supervisor nothing happens. */
export function tellSupervisor(type: string, info: Record<string, unknown>): void {
  if (process.connected) process.send?.({ type, ...info });
}

async function close(app: INestApplicationContext, afterClose: () => Promise<void>): Promise<void> {
  const [closed] = await Promise.allSettled([app.close()]);
  await Promise.allSettled([afterClose()]);
  process.exit(closed.status === 'fulfilled' ? 0 : 1);
}

/**
 * Stops the app, drained, on SIGTERM and SIGINT, and also when the supervisor's channel closes: a supervisor that
 * was killed must not leave its apps behind.
 */
export function stopGracefully(
  app: INestApplicationContext,
  beforeClose: () => void = () => {},
  afterClose: () => Promise<void> = () => Promise.resolve(),
): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // Bull leaves commands that wait for a lost Redis to reject unheard once their connection is closed. That must not
    // cut the drain short: what is held is still to be given back.
    process.on('unhandledRejection', (reason) => process.stderr.write(`While stopping: ${String(reason)}\n`));
    beforeClose();
    void close(app, afterClose);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, stop);
}
