import { openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchApp } from '../../scripts/lib/apps.mjs';

it('an api is not ready because somebody else answers at its port', async () => {
  const stranger = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
  const folder = await mkdtemp(join(tmpdir(), 'atrium-launch-'));
  const file = join(folder, 'api.log');
  const { port } = stranger.address() as AddressInfo;
  // It has no database, and ends.
  const env = { PATH: process.env.PATH, HOME: folder, API_PORT: String(port), DATABASE_URL: '' };
  const launched = launchApp({
    name: 'api',
    env,
    log: { fd: openSync(file, 'w'), file },
    readyUrl: `http://127.0.0.1:${port}/readyz/`,
    track: () => undefined,
  });
  await expect(launched).rejects.toThrow('api ended while it started');
  stranger.close();
  await rm(folder, { recursive: true });
});
