import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { FileMissingError } from './file-key.js';
import { S3Storage, type S3StorageOptions } from './s3.storage.js';
import { StorageUnavailableError } from './storage-unavailable.error.js';
import { startS3Server, type S3Server } from '../../../../test/support/s3-server.js';
import { stopwatch } from '../../../../test/support/timing.js';
import { inAll } from '../../../../test/support/long.js';

const SECRET = 'never-show-this-secret';
const MEGABYTE = 1024 * 1024;

const of = (text: string) => Readable.from([Buffer.from(text)]);
const long = (megabytes: number) => Readable.from(Array.from({ length: megabytes }, () => Buffer.alloc(MEGABYTE)));

const allOf = (storage: S3Storage) => [
  () => storage.put('k', of('x')),
  () => storage.put('k', long(9)),
  () => storage.open('k'),
  () => storage.open('k', { start: 5, end: 4 }),
  () => storage.stat('k'),
  () => storage.localPath('k'),
  () => storage.delete('k'),
  () => storage.health(),
];

const expectUnavailable = async (storage: S3Storage) => {
  for (const call of allOf(storage)) {
    const error = await call().then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StorageUnavailableError);
    expect(error).toMatchObject({ code: 'storage_unavailable' });
    const shown = inspect(error, { depth: 10 });
    for (const secret of [SECRET, 'AKIATEST', 'Signature=', 'documents/']) expect(shown).not.toContain(secret);
  }
};

describe('S3Storage', () => {
  let scratchFolder: string;
  let s3: S3Server;
  const servers: Server[] = [];
  beforeAll(async () => {
    scratchFolder = await mkdtemp(join(tmpdir(), 'atrium-scratch-'));
    s3 = await startS3Server();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterAll(async () => {
    await s3.stop();
    await rm(scratchFolder, { recursive: true, force: true });
  });

  const storageOn = (endpoint: string, options: Partial<S3StorageOptions> = {}) =>
    new S3Storage({
      endpoint,
      bucket: s3.bucket,
      region: 'us-east-1',
      credentials: s3.credentials,
      forcePathStyle: true,
      prefix: '',
      scratchFolder,
      ...options,
    });
  /** A server with faults of its own. */
  const listen = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('keeps deployments apart by their prefix', async () => {
    const one = storageOn(s3.endpoint, { prefix: 'one/' });
    const other = storageOn(s3.endpoint, { prefix: 'other-' });
    await one.put('k', of('of one'));
    await expect(other.open('k')).rejects.toThrow(FileMissingError);
    await other.delete('k');
    const whole = storageOn(s3.endpoint);
    expect(String(await buffer((await whole.open('one/k')).stream))).toBe('of one');
  });

  it('gives a local copy until it is released, and sweeps what a killed process has left', async () => {
    const abandoned = join(scratchFolder, 'abandoned');
    await writeFile(abandoned, 'x');
    await utimes(abandoned, new Date(0), new Date(0));
    const storage = storageOn(s3.endpoint);
    await storage.put('k', of('hello'));
    const [first, second] = [await storage.localPath('k'), await storage.localPath('k')];
    expect(await readdir(scratchFolder)).toHaveLength(2);
    await first.release();
    await first.release();
    expect(await readdir(scratchFolder)).toHaveLength(1);
    await second.release();
    expect(await readdir(scratchFolder)).toEqual([]);
  });

  it('does not take a wrong secret, or a bucket that is not there, for a missing file', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: SECRET };
    await expectUnavailable(storageOn(s3.endpoint, { credentials }));
    await expectUnavailable(storageOn(s3.endpoint, { credentials: { ...credentials, accessKeyId: 'AKIATEST' } }));
    const elsewhere = storageOn(s3.endpoint, { bucket: 'nowhere' });
    await expect(elsewhere.open('k')).rejects.toThrow(StorageUnavailableError);
    await expect(elsewhere.stat('k')).rejects.toThrow(StorageUnavailableError);
    await expect(elsewhere.put('k', of('x'))).rejects.toThrow(StorageUnavailableError);
  });

  it('says so when nobody listens, and goes on when the server is back', async () => {
    const storage = storageOn(s3.endpoint);
    await storage.put('kept', of('kept'));
    await s3.goDown();
    await expectUnavailable(storage);
    await s3.comeBack();
    expect(String(await buffer((await storage.open('kept')).stream))).toBe('kept');
    await expect(storage.open('gone')).rejects.toThrow(FileMissingError);
  });

  it('waits for no silent server', async () => {
    const silent = await listen(() => undefined);
    const storage = storageOn(silent, { timeoutMs: 200 });
    const took = stopwatch();
    await Promise.all(allOf(storage).map((call) => expect(call()).rejects.toThrow(StorageUnavailableError)));
    expect(took()).toBeLessThan(8000);
  });

  it('follows no redirect', async () => {
    const asked: (string | undefined)[] = [];
    const target = await listen((request, response) => {
      asked.push(request.url);
      response.end();
    });
    const redirecting = await listen((request, response) => {
      request.resume();
      response.writeHead(307, { location: `${target}${request.url}` }).end();
    });
    await expectUnavailable(storageOn(redirecting));
    expect(asked).toEqual([]);
  });

  inAll('is not fooled by nonsense', async () => {
    const nonsense = await listen((request, response) => {
      request.resume();
      response.writeHead(500, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${SECRET} documents/</Code><Message>${'x'.repeat(1000)}</Message></Error>`);
    });
    await expectUnavailable(storageOn(nonsense));
    const ignoresRanges = await listen((_request, response) => response.end('hello'));
    await expect(storageOn(ignoresRanges).open('k', { start: 1, end: 2 })).rejects.toThrow(StorageUnavailableError);
  });

  inAll('tries again when the service is busy', async () => {
    let calls = 0;
    const busy = await listen((request, response) => {
      request.resume();
      calls += 1;
      if (calls < 3) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      else response.end('hello');
    });
    expect(String(await buffer((await storageOn(busy).open('k')).stream))).toBe('hello');
    expect(calls).toBe(3);
  });

  it.each([
    ['is cut off', (response: { destroy(): void }) => setTimeout(() => response.destroy(), 20)],
    ['stands still', () => undefined],
  ])('leaves no half copy of a file whose transfer %s', async (_what, afterwards) => {
    const half = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half');
      afterwards(response);
    });
    const storage = storageOn(half, { timeoutMs: 300 });
    await expect(storage.localPath('k')).rejects.toThrow(StorageUnavailableError);
    expect(await readdir(scratchFolder)).toEqual([]);
    const { stream } = await storage.open('k');
    await expect(buffer(stream)).rejects.toThrow();
  });

  it('takes back the parts of an upload that fails, and reads its source no further', async () => {
    const asked: string[] = [];
    const failing = await listen((request, response) => {
      request.resume();
      const url = new URL(request.url!, 'http://s3');
      asked.push(`${request.method} ${url.searchParams.get('partNumber') ?? ''}`.trim());
      if (request.method === 'POST')
        response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
      else response.writeHead(request.method === 'DELETE' ? 204 : 403).end();
    });
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(MEGABYTE));
      },
    });
    await expect(storageOn(failing).put('k', endless)).rejects.toThrow(StorageUnavailableError);
    expect(endless.destroyed).toBe(true);
    expect(asked.at(-1)).toBe('DELETE');
    expect(asked).toContain('PUT 1');
  });

  it('ends an upload that is called off', async () => {
    const stopped = new AbortController();
    const source = new Readable({ read() {} });
    for (let count = 0; count < 9; count += 1) source.push(Buffer.alloc(MEGABYTE));
    const storage = storageOn(s3.endpoint);
    const putting = storage.put('called-off', source, { signal: stopped.signal });
    setTimeout(() => stopped.abort(), 100);
    await expect(putting).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.destroyed).toBe(true);
    expect(await storage.stat('called-off')).toBeNull();
  });
});
