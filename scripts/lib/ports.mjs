import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a server could listen there now. */
export function isPortFree(port, host) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** As isPortFree, with some patience for a server that is just going away. */
export async function becomesFree(port, host, patienceMs) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    if (await isPortFree(port, host)) return true;
    if (Date.now() >= deadline) return false;
    await sleep(100);
  }
}

/**
 * The preferred port when it is free, else one that the system picks.
 * @param {number | undefined} preferred
 * @returns {Promise<number>}
 */
export async function choosePort(preferred) {
  if (preferred && (await isPortFree(preferred, '127.0.0.1'))) return preferred;
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
