import { mkdtempSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { appsToRestart, BuiltOutput, readDependencies } from '../../scripts/lib/built-output.mjs';
import { prettyLine } from '../../scripts/lib/pretty-log.mjs';

describe('npm run dev', () => {
  const root = mkdtempSync(join(tmpdir(), 'atrium-dev-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const manifest = (folder: string, name: string, needs: string[]) =>
    write(
      `${folder}/package.json`,
      JSON.stringify({ name, dependencies: { zod: '4', ...Object.fromEntries(needs.map((need) => [need, '0.0.0'])) } }),
    );

  beforeAll(() => {
    manifest('libs/common', '@app/common', []);
    manifest('libs/queues', '@app/queues', ['@app/common']);
    manifest('apps/api', '@app/api', ['@app/queues']);
    manifest('apps/indexer', '@app/indexer', []);
    write('libs/common/dist/index.js', 'one');
    write('libs/queues/dist/deep/index.js', 'two');
    write('apps/indexer/dist/main.js', 'three');
  });

  afterAll(() => rmSync(root, { recursive: true }));

  it('restarts the apps that run something of what changed, and no other', () => {
    const dependencies = readDependencies(root);
    const apps = ['api', 'indexer'];
    expect(appsToRestart(new Set(['libs/common']), apps, dependencies)).toEqual(['api']);
    expect(appsToRestart(new Set(['apps/indexer']), apps, dependencies)).toEqual(['indexer']);
    expect(appsToRestart(new Set(['libs/none']), apps, dependencies)).toEqual([]);
    expect(
      appsToRestart(
        new Set(['libs/a']),
        ['api'],
        new Map([
          ['apps/api', ['libs/b']],
          ['libs/b', ['libs/b', 'libs/a']],
        ]),
      ),
    ).toEqual(['api']);
  });

  it('sees what the compiler wrote, and not what it merely touched', () => {
    const output = new BuiltOutput(root);
    expect(output.changes()).toEqual(new Set());
    utimesSync(join(root, 'libs/common/dist/index.js'), 1, 1);
    write('libs/common/dist/index.d.ts', 'types alone');
    expect(output.changes()).toEqual(new Set());
    write('libs/queues/dist/deep/index.js', 'six');
    write('apps/indexer/dist/new.js', '');
    expect(output.changes()).toEqual(new Set(['libs/queues', 'apps/indexer']));
    rmSync(join(root, 'apps/indexer/dist/new.js'));
    expect(output.changes()).toEqual(new Set(['apps/indexer']));
    expect(output.changes()).toEqual(new Set());
  });

  it('writes log lines for people', () => {
    const time = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    const entry = { level: 40, time, app: 'api', pid: 1, context: 'Http', msg: 'slow', ms: 12, path: '/users/me/' };
    expect(prettyLine('api', JSON.stringify(entry))).toBe(
      '03:04:05.006 api             warn  [Http] slow  ms=12 path=/users/me/',
    );
    const failed = { level: 50, time, msg: 'broken', err: { message: 'x', stack: 'Error: x\n    at y' } };
    expect(prettyLine('api', JSON.stringify(failed))).toContain('error broken\nError: x\n    at y');
    expect(prettyLine('api', 'Debugger attached.')).toContain('api             Debugger attached.');
    expect(prettyLine('api', '{"half": ')).toContain('{"half": ');
  });
});
