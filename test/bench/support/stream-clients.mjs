// The readers of the turns benchmark, in a process of their own. Told by IPC: `read {calls}`, each call `{url, headers,
// body}`; answers with the milliseconds that each token was on its way, and the longest silence.
import { performance } from 'node:perf_hooks';

const now = () => performance.timeOrigin + performance.now();

async function read({ url, headers, body }, delays) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  let rest = '';
  let tokens = 0;
  let silence = 0;
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
      delays.push(at - sentAt);
      tokens += 1;
    }
  }
  return { tokens, silence };
}

process.on('message', async ({ calls }) => {
  const delays = [];
  const results = await Promise.allSettled(calls.map((call) => read(call, delays)));
  const errors = results.filter(({ status }) => status === 'rejected').map(({ reason }) => String(reason));
  const readers = results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  process.send({ delays, errors, readers });
});
process.send({ type: 'ready' });
