import { setTimeout as sleep } from 'node:timers/promises';

/** One call of the mix: what is asked of an api, and what it has to answer. */
export interface MixedCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  status: number;
}

export interface Failure {
  base: string;
  path: string;
  what: string;
}

/** Every so often a load balancer asks its upstreams how they are; it learns nothing from the answers to calls. */
const LOOK_MS = 1000;
/** A slow answer is one: both apis and all servers may share a core with the calls. */
const PATIENCE_MS = 5000;

/**
 * A load balancer without retries in front of several apis, and its clients: calls at a fixed rate, whether or not
 * earlier ones are answered, each to the next api that was ready when it was last asked.
 */
export function startRoundRobin(bases: readonly string[], calls: readonly MixedCall[], perSecond: number) {
  const ready = new Set<string>();
  const failures: Failure[] = [];
  const stopping = new AbortController();
  let sent = 0;

  const look = async (base: string) => {
    const isReady = await fetch(`${base}/readyz/`, { signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.ok;
      },
      () => false,
    );
    if (isReady) ready.add(base);
    else ready.delete(base);
  };
  const watch = async (base: string) => {
    while (!stopping.signal.aborted) {
      await look(base);
      await sleep(LOOK_MS, null, { signal: stopping.signal }).catch(() => null);
    }
  };
  const send = async () => {
    const { path, status, ...init } = calls[sent % calls.length]!;
    const upstreams = bases.filter((base) => ready.has(base));
    const base = upstreams[sent % Math.max(1, upstreams.length)];
    sent += 1;
    if (base === undefined) {
      failures.push({ base: 'none', path, what: 'no api is ready' });
      return;
    }
    try {
      const response = await fetch(base + path, init);
      const text = await response.text();
      if (response.status !== status) failures.push({ base, path, what: `${response.status} ${text.slice(0, 200)}` });
    } catch (error) {
      const { cause, message } = error as Error;
      failures.push({ base, path, what: `${message}: ${String(cause)}` });
    }
  };
  const pace = async () => {
    const started = performance.now();
    const open = new Set<Promise<void>>();
    for (let count = 0; !stopping.signal.aborted;) {
      const due = Math.floor(((performance.now() - started) / 1000) * perSecond);
      for (; count < due; count += 1) {
        const call = send().finally(() => open.delete(call));
        open.add(call);
      }
      await sleep(5);
    }
    await Promise.all(open);
  };

  const looked = Promise.all(bases.map(look));
  const watching = bases.map(watch);
  const pacing = looked.then(pace);
  return {
    failures,
    isReady: (base: string) => ready.has(base),
    /** @returns how many calls were sent, once all of them are answered. */
    async stop(): Promise<number> {
      stopping.abort();
      await Promise.all([pacing, ...watching]);
      return sent;
    },
  };
}
