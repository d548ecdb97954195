// The readers of the turns benchmark, in a process of their own. Told by IPC: `read {calls, rampMs}`, each call `{url,
// headers, body}`; they begin one after the other within `rampMs`. Answers with the milliseconds that each token was on its
// way, while all were reading and at any time, and the longest silence.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const now = () => performance.timeOrigin + performance.now();

async function read({ url, headers, body }, delays) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  let rest = '';
  let tokens = 0;
  let silence = 0;
  let first = null;
  let last = null;
  for await (const bytes of response.body) {
    const at = now();
    if (last !== null) silence = Math.max(silence, at - last);
    last = at;
    const words = (rest + decoder.decode(bytes, { stream: true })).split(' ');
    rest = words.pop();
    for (const word of words) {
      const sentAt = Number(/(\d{13}\.\d{2})"?$/.exec(word)?.[1]);
      if (Number.isNaN(sentAt)) continue;
      delays.push([at, at - sentAt]);
      first ??= at;
      tokens += 1;
    }
  }
  return { tokens, silence, first, last };
}

process.on('message', async ({ calls, rampMs }) => {
  const delays = [];
  const begin = async (call, index) => {
    await sleep((index * rampMs) / calls.length);
    return read(call, delays);
  };
  const results = await Promise.allSettled(calls.map(begin));
  const errors = results.filter(({ status }) => status === 'rejected').map(({ reason }) => String(reason));
  const readers = results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  const from = Math.max(...readers.map(({ first }) => first));
  const until = Math.min(...readers.map(({ last }) => last));
  const together = delays.filter(([at]) => at >= from && at <= until).map(([, delay]) => delay);
  process.send({ delays: delays.map(([, delay]) => delay), together, errors, readers });
});
process.send({ type: 'ready' });
