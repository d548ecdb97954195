// The clients of the socket benchmark, in a process of their own. Told by IPC: `open {urls}`, `collect {}`.
import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';

const OPENED_AT_ONCE = 100;
const TAIL_BYTES = 120;
/** Of each socket: [run version, milliseconds since 1970] of every list that it got. */
const received = [];
let closed = 0;

const now = () => performance.timeOrigin + performance.now();

function open(url, index) {
  received[index] = [];
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on('message', (data) => {
      const at = now();
      // Parsing all of it would measure this process.
      const version = /"run_version":(\d+|null)/.exec(data.subarray(-TAIL_BYTES).toString());
      if (version) received[index].push([version[1] === 'null' ? 0 : Number(version[1]), at]);
      resolve();
    });
    socket.on('close', () => (closed += 1));
    socket.on('error', reject);
  });
}

process.on('message', async ({ type, urls }) => {
  if (type === 'open') {
    const from = received.length;
    received.length += urls.length;
    for (let at = 0; at < urls.length; at += OPENED_AT_ONCE)
      await Promise.all(urls.slice(at, at + OPENED_AT_ONCE).map((url, index) => open(url, from + at + index)));
    process.send({ type: 'opened' });
  } else if (type === 'collect') {
    process.send({ type: 'collected', received, closed });
  }
});
