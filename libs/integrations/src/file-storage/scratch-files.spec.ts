import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { until } from '../../../../test/support/until.js';
import { LocalFolderStorage } from './local-folder.storage.js';
import { hasEnded, ownProcessMark } from './process-mark.js';
import { makeProcessFolder } from './process-folder.js';
import { ScratchFiles } from './scratch-files.js';

/** The mark of a process that lives until `end` is called. */
async function other() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const [place] = (await ownProcessMark())!.split('.');
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { mark: `${place}.${child.pid}.${start}`, end };
}

describe('files that are worked on', () => {
  let folder: string;
  let file: string;
  let scratch: ScratchFiles;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-scratch-'));
    file = join(folder, 'file');
    await writeFile(file, 'x');
    scratch = new ScratchFiles(join(folder, 'opened'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const names = () => readdir(join(folder, 'opened'));

  it('go as soon as their process has ended, and no sooner', async () => {
    const { path } = (await scratch.link(file))!;
    const own = await ownProcessMark();
    expect(path).toContain(`_${own}_`);
    const { mark, end } = await other();
    await rename(path, path.replace(own!, mark));
    const kept = (await scratch.link(file))!;
    expect(await scratch.removeAbandoned()).toBe(0);
    await end();
    expect(await hasEnded(mark)).toBe(true);
    expect(await scratch.removeAbandoned()).toBe(1);
    expect(await readFile(kept.path, 'utf8')).toBe('x');
    await kept.release();
    expect(await names()).toEqual([]);
  });

  it('go where another process has got the number since, and stay where nobody can know', async () => {
    const own = (await ownProcessMark())!;
    const [place, pid] = own.split('.');
    expect(await hasEnded(own)).toBe(false);
    expect(await hasEnded(`${place}.${pid}.1`)).toBe(true);
    expect(await hasEnded(`0123456789ab.${pid}.1`)).toBe(false);
    await mkdir(join(folder, 'opened'));
    const foreign = `at${Date.now()}-_0123456789ab.1.1_x`;
    await writeFile(join(folder, 'opened', foreign), '');
    await writeFile(join(folder, 'opened', `at${Date.now() - 25 * 3_600_000}-_0123456789ab.1.1_y`), '');
    expect(await scratch.removeAbandoned()).toBe(1);
    expect(await names()).toEqual([foreign]);
  });

  it('are half-written files of the storage, too', async () => {
    const storage = new LocalFolderStorage(folder);
    const source = new PassThrough();
    const kept = storage.put('exports/1', source);
    source.write('half');
    const incoming = join(folder, '.incoming');
    const written = async () => (await readdir(incoming).catch(() => [])).at(0);
    await until(async () => (await written()) !== undefined);
    const [place] = (await ownProcessMark())!.split('.');
    await writeFile(join(incoming, `_${place}.${process.pid}.1_killed`), 'half');
    expect(await storage.removeAbandoned()).toBe(1);
    source.end();
    await kept;
    expect([await readdir(incoming), await storage.stat('exports/1')]).toEqual([
      [],
      expect.objectContaining({ sizeBytes: 4 }),
    ]);
  });

  it('are whole folders, too, which go once another process of the same kind begins', async () => {
    const own = (await ownProcessMark())!;
    const [place] = own.split('.');
    for (const name of [`work-_${place}.${process.pid}.1_abc`, `other-_${place}.${process.pid}.1_abc`]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'result.json'), '{}');
    }
    const first = await makeProcessFolder('work', folder);
    const second = await makeProcessFolder('work', folder);
    expect(first).toContain(`work-_${own}_`);
    expect((await readdir(folder)).filter((name) => name !== 'file').sort()).toEqual(
      [`other-_${place}.${process.pid}.1_abc`, basename(first), basename(second)].sort(),
    );
  });

  it('are none where there is no folder', async () => {
    expect(await scratch.removeAbandoned()).toBe(0);
  });
});
