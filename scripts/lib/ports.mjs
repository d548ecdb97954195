import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why no server can listen there now, as the system's error code; null when one can. */
function listenProblem(port, host) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', (error) => resolve(error.code));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

export const isPortFree = async (port, host) => (await listenProblem(port, host)) === null;

/** As listenProblem, with some time for a server that is just going away. */
export async function lastingListenProblem(port, host, timeoutMs) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const problem = await listenProblem(port, host);
    if (problem !== 'EADDRINUSE' || Date.now() >= deadline) return problem;
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
