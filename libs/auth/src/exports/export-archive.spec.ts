import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ErasureRegistry, type ExportedFile } from '@app/erasure';
import { FileMissingError } from '@app/integrations';
import { filesIn } from '../../../../test/support/unzip.js';
import { until } from '../../../../test/support/until.js';
import { streamArchive } from './export-archive.js';

const archiveOf = (exportFor: () => AsyncIterable<ExportedFile>) => {
  const registry = new ErasureRegistry();
  const nothing = { tables: [], countFor: () => Promise.resolve(0), deleteSome: () => Promise.resolve(0) };
  registry.register({ ...nothing, name: 'parts', exportFor });
  return streamArchive(registry, 1);
};

describe('streamArchive', () => {
  it('asks for a part when the one before it is written, whoever reads how slowly', async () => {
    let asked = 0;
    const archive = archiveOf(async function* () {
      for (; asked < 12; asked += 1) yield { path: `${asked}.txt`, content: randomBytes(500_000).toString('hex') };
    });
    await once(archive, 'readable');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(asked).toBeLessThan(3);
    const files = await filesIn(await buffer(archive));
    expect([files.size, files.get('11.txt')?.length]).toEqual([12, 1_000_000]);
  });

  it('tells which files were gone, and has all others', async () => {
    const archive = archiveOf(async function* () {
      yield { path: 'a.txt', content: async () => Readable.from(['a']) };
      yield { path: 'gone.txt', content: () => Promise.reject(new FileMissingError('documents/x')) };
      yield { path: 'b.txt', content: 'b' };
      yield { path: 'empty.txt', content: '' };
    });
    expect(Object.fromEntries(await filesIn(await buffer(archive)))).toEqual({
      'a.txt': 'a',
      'b.txt': 'b',
      'empty.txt': '',
      'missing-files.txt': 'gone.txt\n',
    });
  });

  it.each([
    ['cannot be opened', () => Promise.reject(new Error('unreadable'))],
    [
      'breaks off',
      async () =>
        Readable.from(
          (async function* () {
            yield 'half';
            throw new Error('unreadable');
          })(),
        ),
    ],
  ])('ends with the error of a file that %s', async (_, content: () => Promise<Readable>) => {
    const archive = archiveOf(async function* () {
      yield { path: 'a.txt', content };
    });
    await expect(buffer(archive)).rejects.toThrow('unreadable');
  });

  it('leaves off when nobody reads it any longer', async () => {
    let isOver = false;
    const archive = archiveOf(async function* () {
      try {
        for (let n = 0; ; n += 1) yield { path: `${n}.txt`, content: randomBytes(500_000).toString('hex') };
      } finally {
        isOver = true;
      }
    });
    await once(archive, 'readable');
    archive.destroy();
    await until(() => isOver);
  });
});
