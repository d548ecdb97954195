import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnavailableError } from '@app/common';
import {
  hasRealClamd,
  startRealClamd,
  startTestClamd,
  TEST_SIGNATURE,
  TEST_THREAT,
  type Clamd,
  type ClamdFault,
} from '../../../../test/support/clamd.js';
import { ClamdAntivirus } from './clamd-antivirus.js';
import { stopwatch } from '../../../../test/support/timing.js';
import { sample } from '../../../../test/support/long.js';

const MEGABYTE = 1024 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atrium-scan-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Of zeros, which take no room on the disk. */
async function emptyFile(name: string, bytes: number): Promise<string> {
  const path = await file(name, '');
  await truncate(path, bytes);
  return path;
}

const scannerAt = ({ port }: Pick<Clamd, 'port'>, timeoutSeconds = 10) =>
  new ClamdAntivirus({ address: { host: '127.0.0.1', port }, timeoutSeconds });

const failureOf = (scan: Promise<unknown>) => scan.then(() => null).catch((error: unknown) => error);

/** What has to hold against the test's own server and against the real daemon. */
function contract(start: () => Promise<Clamd>) {
  let clamd: Clamd;
  beforeAll(async () => {
    clamd = await start();
  });
  afterAll(() => clamd.stop());

  it('answers', () => scannerAt(clamd).health());

  it.each([
    ['a clean file', Buffer.from('The kettle is in the kitchen.')],
    ['an empty file', Buffer.alloc(0)],
    ['a file of many chunks', Buffer.alloc(5 * MEGABYTE, 'kettle ')],
  ])('passes %s', async (name, content) => {
    expect(await scannerAt(clamd).scan(await file(name, content))).toEqual({ clean: true });
  });

  it.each([
    ['at the beginning', (bytes: Buffer) => Buffer.concat([Buffer.from(TEST_SIGNATURE), bytes])],
    ['at the end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(TEST_SIGNATURE)])],
    [
      'across two chunks',
      (bytes: Buffer) => {
        bytes.write(TEST_SIGNATURE, 256 * 1024 - 7);
        return bytes;
      },
    ],
  ])('finds a virus %s', async (where, plant) => {
    const path = await file(where, plant(Buffer.alloc(MEGABYTE, 'kettle ')));
    expect(await scannerAt(clamd).scan(path)).toEqual({ clean: false, threat: TEST_THREAT });
  });

  it('keeps scans at the same time apart', async () => {
    const clean = await file('clean', 'The kettle is in the kitchen.');
    const infected = await file('infected', `x ${TEST_SIGNATURE} y`);
    const scans = Array.from({ length: 20 }, (_, index) => scannerAt(clamd).scan(index % 3 === 0 ? infected : clean));
    const verdicts = await Promise.all(scans);
    expect(verdicts.map(({ clean }) => clean)).toEqual(verdicts.map((_, index) => index % 3 !== 0));
  });

  it('cannot tell of a file that is too large for the scanner', async () => {
    const failure = await failureOf(scannerAt(clamd).scan(await emptyFile('large', 20 * MEGABYTE)));
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({ code: 'scanner_unavailable' });
  });
}

describe('ClamdAntivirus', () => contract(() => startTestClamd()));

/** Debian's package clamav-daemon; the test before says the same of a server that speaks its protocol. */
(hasRealClamd ? describe : describe.skip)('ClamdAntivirus with the real clamd', () => {
  contract(startRealClamd);

  it('reaches it over its Unix socket', async () => {
    const clamd = await startRealClamd();
    try {
      const scanner = new ClamdAntivirus({ address: { path: clamd.socket! }, timeoutSeconds: 10 });
      await scanner.health();
      const path = await file('over-socket', TEST_SIGNATURE);
      expect(await scanner.scan(path)).toEqual({ clean: false, threat: TEST_THREAT });
    } finally {
      await clamd.stop();
    }
  });
});

describe('ClamdAntivirus without a scanner that answers', () => {
  const faults: ClamdFault[] = [
    'silent',
    'hangs up',
    'nonsense',
    'endless',
    'half a reply',
    'size limit',
    'never reads',
  ];

  it.each(sample(faults, 3))('never passes a file: %s', async (fault) => {
    const clamd = await startTestClamd(fault);
    const scanner = scannerAt(clamd, 1);
    try {
      for (const size of [10, 20 * MEGABYTE]) {
        const took = stopwatch();
        const failure = await failureOf(scanner.scan(await emptyFile('any', size)));
        expect(failure).toBeInstanceOf(UnavailableError);
        expect(failure).toMatchObject({ code: 'scanner_unavailable', message: expect.not.stringContaining('127.0.0') });
        expect(took()).toBeLessThan(3000);
      }
    } finally {
      await clamd.stop();
    }
  });

  it('says so when nobody listens', async () => {
    const clamd = await startTestClamd();
    await clamd.stop();
    for (const call of [scannerAt(clamd).scan(await file('any', 'x')), scannerAt(clamd).health()])
      expect(await failureOf(call)).toMatchObject({ code: 'scanner_unavailable' });
  });

  it('is not well when it does not answer PING', async () => {
    const clamd = await startTestClamd('nonsense');
    expect(await failureOf(scannerAt(clamd).health())).toMatchObject({ code: 'scanner_unavailable' });
    await clamd.stop();
  });

  it('does not read a file that its scanner does not take', async () => {
    const clamd = await startTestClamd('never reads');
    const path = await emptyFile('huge', 200 * MEGABYTE);
    const before = process.memoryUsage().arrayBuffers;
    const scan = failureOf(scannerAt(clamd, 2).scan(path));
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 20);
    expect(await scan).toBeInstanceOf(UnavailableError);
    clearInterval(watch);
    await clamd.stop();
    expect(most).toBeLessThan(40 * MEGABYTE);
  });

  it('stops when it is called off', async () => {
    const clamd = await startTestClamd('silent');
    const stopped = new AbortController();
    const scan = failureOf(scannerAt(clamd, 30).scan(await file('any', 'x'), stopped.signal));
    setTimeout(() => stopped.abort(), 50);
    expect(await scan).toMatchObject({ code: 'scanner_unavailable' });
    await clamd.stop();
  });
});
