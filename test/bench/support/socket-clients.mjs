// The clients of the socket benchmark, in a process of their own. Told by IPC: `open {urls}`, `collect {}`. They speak just
// enough of RFC 6455 to note when a frame has arrived whole, so that they cost less than what they measure.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

const OPENED_AT_ONCE = 100;
const TAIL_BYTES = 120;
const TEXT = 1;
/** Of each socket: [run version, milliseconds since 1970] of every list that it got. */
const received = [];
let closed = 0;

const now = () => performance.timeOrigin + performance.now();

/** @returns the length of the frame at the start of the bytes and where its payload begins; null when some is missing. */
function frameAt(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 127;
  const start = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < start) return null;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  return bytes.length < start + length ? null : { start, end: start + length };
}

function open(address, index) {
  const { hostname, port, pathname, search } = new URL(address);
  received[index] = [];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let isOpen = false;
    let rest = Buffer.alloc(0);
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    );
    socket.on('data', (chunk) => {
      const at = now();
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (!isOpen) {
        const head = rest.indexOf('\r\n\r\n');
        if (head === -1) return;
        if (!rest.subarray(0, 12).toString().endsWith('101')) return reject(new Error(rest.subarray(0, 40).toString()));
        isOpen = true;
        rest = rest.subarray(head + 4);
      }
      for (let frame = frameAt(rest); frame; frame = frameAt(rest)) {
        if ((rest[0] & 15) === TEXT) {
          const tail = rest.subarray(Math.max(frame.start, frame.end - TAIL_BYTES), frame.end).toString('latin1');
          const version = Number(/"run_version":(\d+)/.exec(tail)?.[1] ?? 0);
          received[index].push([version, at]);
          resolve();
        }
        rest = rest.subarray(frame.end);
      }
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
