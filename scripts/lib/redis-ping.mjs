import net from 'node:net';
import tls from 'node:tls';

const encode = (...words) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/**
 * Resolves when the server at the address answers PING; rejects with the reason when it does not.
 * @param {string} address redis:// or rediss://, with user and password where these are needed
 * @returns {Promise<void>}
 */
export function ping(address) {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(url.port || 6379), servername: net.isIP(host) ? undefined : host };
  const credentials = [url.username, url.password].filter(Boolean).map(decodeURIComponent);
  const request = (credentials.length > 0 ? encode('AUTH', ...credentials) : '') + encode('PING');
  return new Promise((resolve, reject) => {
    const socket = url.protocol === 'rediss:' ? tls.connect(place) : net.connect(place);
    let answer = '';
    socket.setTimeout(5000, () => socket.destroy(new Error('no answer within 5 s')));
    socket.once(url.protocol === 'rediss:' ? 'secureConnect' : 'connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      answer += chunk;
      const problem = /^-(.*)\r$/m.exec(answer)?.[1];
      if (answer.includes('+PONG')) {
        socket.destroy();
        resolve();
        // While Redis loads its file, and when the password is wrong.
      } else if (problem) socket.destroy(new Error(problem));
    });
    socket.on('error', (error) => reject(new Error(error.message || error.code)));
    socket.on('close', () => reject(new Error('the connection was closed')));
  });
}
