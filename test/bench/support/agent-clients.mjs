// The readers of the agents benchmark, in a process of their own. Told by IPC: `{base, runs: [{headers, input}], rampMs}`;
// each begins a run, follows its events to their end, and tells how long each token was on its way, and when it ended.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const now = () => performance.timeOrigin + performance.now();
const RUNS = '/microservices/dedicated-agent/runs/';

async function begin(base, { headers, input }) {
  for (;;) {
    const response = await fetch(base + RUNS, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    });
    const body = await response.json();
    if (response.ok) return body.id;
    if (response.status !== 429) throw new Error(`${response.status} ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

async function follow(base, run, delays) {
  const id = await begin(base, run);
  const response = await fetch(`${base}${RUNS}${id}/events/`, { headers: run.headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  let rest = '';
  let tokens = 0;
  let first = null;
  let last = null;
  let end = null;
  for await (const bytes of response.body) {
    const at = now();
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      if (frame.includes('event: run.')) end = /event: (\S+)/.exec(frame)[1];
      if (!frame.includes('event: message.delta')) continue;
      // Several tokens may have become one piece.
      for (const [, sentAt] of frame.matchAll(/(\d{13}\.\d{2}) /g)) {
        delays.push([at, at - Number(sentAt)]);
        tokens += 1;
        first ??= at;
        last = at;
      }
    }
  }
  return { id, tokens, first, last, end };
}

process.on('message', async ({ base, runs, rampMs = 0 }) => {
  const delays = [];
  const results = await Promise.allSettled(
    runs.map(async (run, index) => {
      await sleep((index * rampMs) / runs.length);
      return follow(base, run, delays);
    }),
  );
  const errors = results.filter(({ status }) => status === 'rejected').map(({ reason }) => String(reason));
  const readers = results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  const from = Math.max(...readers.map(({ first }) => first));
  const until = Math.min(...readers.map(({ last }) => last));
  const together = delays.filter(([at]) => at >= from && at <= until).map(([, delay]) => delay);
  process.send({ delays: delays.map(([, delay]) => delay), together, errors, readers });
});
process.send({ type: 'ready' });
