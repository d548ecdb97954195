// Sends webhook calls at a fixed rate over kept connections, and tells how they were answered. A latency runs from the
// moment at which the call was due, so that a client or a server that falls behind does not flatter itself.
import { connect } from 'node:net';

process.once('message', async ({ base, credentials, rate, seconds }) => {
  const { hostname, port } = new URL(base);
  const idle = [];
  const latencies = [];
  const others = {};
  let accepted = 0;
  let answered = 0;
  const sent = rate * seconds;

  function open() {
    const connection = { socket: connect({ host: hostname, port: Number(port), noDelay: true }), due: 0, text: '' };
    connection.socket.setEncoding('latin1');
    connection.socket.on('data', (chunk) => {
      connection.text += chunk;
      const head = connection.text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(connection.text)?.[1] ?? 0);
      if (connection.text.length < head + 4 + length) return;
      settle(connection, connection.text.slice(9, 12));
    });
    connection.socket.on('error', (error) => settle(connection, error.code));
    return connection;
  }

  function settle(connection, status) {
    if (connection.due === 0) return;
    latencies.push(performance.now() - connection.due);
    if (status === '202') accepted += 1;
    else others[status] = (others[status] ?? 0) + 1;
    answered += 1;
    connection.due = 0;
    connection.text = '';
    if (!connection.socket.destroyed) idle.push(connection);
  }

  const bodies = credentials.map((one) => JSON.stringify({ ...one, payload: { n: 0 } }).split('"n":0'));
  const start = performance.now() + 50;
  let next = 0;
  await new Promise((done) => {
    const timer = setInterval(() => {
      const now = performance.now();
      for (; next < sent && start + (next * 1000) / rate <= now; next += 1) {
        const connection = idle.pop() ?? open();
        connection.due = start + (next * 1000) / rate;
        const body = bodies[next % bodies.length].join(`"n":${next}`);
        connection.socket.write(
          `POST /microservices/workflow/webhook/ HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }
      if (answered === sent || now > start + seconds * 1000 + 30_000) {
        clearInterval(timer);
        done();
      }
    }, 1);
  });
  latencies.sort((a, b) => a - b);
  const at = (share) =>
    Math.round(latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] * 10) / 10;
  if (answered < sent) others.unanswered = sent - answered;
  process.send({ sent, accepted, others, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }, () =>
    process.exit(0),
  );
});
