import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { tusRequest, tusUpload } from '../support/tus.js';
import { until } from '../support/until.js';

describe('a resumable upload to an api that is killed', () => {
  let platform: HostedPlatform;
  beforeAll(async () => {
    platform = await hostPlatform([]);
  });
  afterAll(() => platform.stop());

  it('goes on in the next process, and nothing is lost or doubled', async () => {
    const doomed = await platform.start('api');
    const client = await HttpClient.signUp(platform.baseUrl);
    const content = Buffer.alloc(20 * 1024 * 1024, 'The kettle is in the kitchen.\n');
    const metadata = { filename: 'big.txt', train_after_upload: 'false' };
    let sent = 0;
    const first = tusUpload(client, content, metadata, {
      chunkSize: 1024 * 1024,
      onProgress: (bytes) => {
        sent = bytes;
      },
    });
    const broken = first.done.then(
      () => 'finished',
      () => 'broken',
    );
    await until(() => Promise.resolve(sent > 6 * 1024 * 1024));
    await doomed.kill('SIGKILL');
    expect(await broken).toBe('broken');
    const { baseUrl } = await platform.host('api');
    const next = { baseUrl, token: client.token };
    const path = new URL(first.upload.url!).pathname;
    const head = await tusRequest(next, 'HEAD', path);
    const offset = Number(head.headers.get('upload-offset'));
    expect([head.status, offset >= 5 * 1024 * 1024, offset < content.length]).toEqual([200, true, true]);
    let resumedAt = -1;
    const { documentUid } = await tusUpload(next, content, metadata, {
      uploadUrl: new URL(path, baseUrl).href,
      chunkSize: 4 * 1024 * 1024,
      onProgress: (bytes) => {
        if (resumedAt < 0) resumedAt = bytes;
      },
    }).done;
    expect(resumedAt).toBeGreaterThanOrEqual(offset);
    const rows = await platform.database.dataSource.query<{ uid: string; sha256: string }[]>(
      'SELECT uid, sha256 FROM documents',
    );
    expect(rows).toEqual([{ uid: documentUid, sha256: createHash('sha256').update(content).digest('hex') }]);
    expect(await readdir(join(platform.env.STORAGE_DIR!, '.resumable'))).toEqual([]);
    expect(await platform.database.dataSource.query('SELECT FROM storage_reservations')).toEqual([]);
  });
});
