import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKindByFilename } from '@app/documents/kit';
import { hostileNewKinds } from '../../../../../test/support/hostile/new-kinds.js';
import { extractText } from './parsers/extract-text.fixture.js';

const SECRET = 'what only this machine knows';
const REACHING =
  /^(?:entity-|parameter-|outer-|include|stylesheet|attached|frames|remote|outside-|entity\.|raw\.).*(?:xml|epub|rst|ics)$/;

describe('a file that names other files or addresses', () => {
  it('is read alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'secret-'));
    const secret = join(folder, 'secret.txt');
    await writeFile(secret, SECRET);
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.end(SECRET);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const port = String((server.address() as AddressInfo).port).padStart(5, '0');
    const files = hostileNewKinds().filter(({ name }) => REACHING.test(name));
    expect(files.length).toBeGreaterThan(12);
    for (const { name, bytes } of files) {
      const reaching = bytes()
        .toString('latin1')
        .replaceAll(/(?:\.\.\/)*\/?etc\/passwd/g, secret)
        .replaceAll('127.0.0.1:9', `127.0.0.1:${port}`);
      // Archives keep their lengths only as they are.
      const content = name.endsWith('.epub') ? bytes() : Buffer.from(reaching, 'latin1');
      const texts = await extractText(findKindByFilename(name)!.id, content).then(
        (pages) => pages.map(({ text }) => text).join('\n'),
        (error: Error) => error.message,
      );
      expect([name, /root:.*:0:0:/.test(texts), texts.includes(SECRET)]).toEqual([name, false, false]);
    }
    expect(asked).toEqual([]);
    await new Promise((closed) => server.close(closed));
    await rm(folder, { recursive: true });
  });
});
