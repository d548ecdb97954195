import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listSettings, loadConfig } from '@app/config';

const root = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Whatever starts a process or a thread, and what it hands over of our environment. */
const STARTS: Record<string, { how: string; because: string }> = {
  'libs/isolation/src/start-process.ts': { how: 'env: {}', because: 'every child of the apps' },
  'apps/indexer/src/spreadsheets/calculate.ts': {
    how: 'env: {}',
    because: 'a thread of the importing and the reading child',
  },
  'libs/workflow-tools/src/sandbox/worker.ts': { how: 'env: {}', because: 'a thread of a child for workflows' },
  'libs/observability/src/watchdog.ts': { how: 'env: {}', because: 'a thread of the apps' },
  'libs/integrations/src/embeddings/threaded-embeddings.ts': { how: 'env: {}', because: 'a thread of the runner' },
  'scripts/lib/postgres.mjs': { how: 'env: serverEnvironment(', because: 'the embedded Postgres' },
  'scripts/lib/redis.mjs': { how: 'env: serverEnvironment(', because: 'the embedded Redis' },
  'scripts/lib/apps.mjs': { how: 'env,', because: 'the apps themselves, whose settings these are' },
  'scripts/demo/agent-platform.mjs': { how: 'serverEnvironment(', because: 'apps of the demo, and their commands' },
  'scripts/admin.mjs': { how: 'env: {', because: "an app's command line" },
  'scripts/bootstrap.mjs': { how: 'env: withToolsOnPath(', because: 'our own scripts' },
  'scripts/bench.mjs': { how: 'env: {', because: 'our own benches' },
  'scripts/lib/compiler.mjs': { how: 'env: { PATH:', because: 'the compiler of npm run dev' },
  'scripts/test-mutation.mjs': { how: 'env: { ...env, ...addresses', because: 'our own tests' },
  'scripts/test-unit.mjs': { how: 'env: { ...process.env', because: 'our own tests' },
  'scripts/test.mjs': { how: 'env,', because: 'our own tests' },
  'scripts/lib/processes.mjs': { how: '...options', because: '`run`, whose callers say it' },
};
const STARTING = /(?<![.\w])(?:spawn|spawnSync|fork|exec|execFile|execSync)\(|new Worker\(/;

describe('children', () => {
  it('are started where somebody has looked at their environment', () => {
    const files = globSync(['{apps,libs}/*/src/**/*.ts', 'scripts/**/*.mjs'], { cwd: root });
    const starting = files.filter((file) => !file.endsWith('.spec.ts') && STARTING.test(withoutComments(read(file))));
    expect(starting.toSorted()).toEqual(Object.keys(STARTS).toSorted());
    for (const [file, { how }] of Object.entries(STARTS))
      expect([file, read(file).includes(how)]).toEqual([file, true]);
  });

  it('of other makers are told no secret', () => {
    const secrets = listSettings().filter(({ secret }) => secret);
    expect(fromScripts('SECRET_SETTINGS')).toEqual(secrets.map(({ env }) => env));
    const env = {
      PATH: '/bin',
      KEY_OF_A_MODEL: 'x',
      ...Object.fromEntries(secrets.map(({ env: name }) => [name, 'x'])),
    };
    const given = JSON.stringify(env);
    expect(fromScripts(`serverEnvironment({ LC_ALL: 'C' }, ${given})`)).toEqual({ PATH: '/bin', LC_ALL: 'C' });
    expect(fromScripts(`withoutSecrets(${given})`)).toEqual({ PATH: '/bin', KEY_OF_A_MODEL: 'x' });
  });
});

describe('the compose file', () => {
  it('hands its secrets over as files, drawn once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-compose-'));
    const script = join(folder, 'make-secrets.sh');
    copyFileSync(join(root, 'docker/make-secrets.sh'), script);
    chmodSync(script, 0o755);
    writeFileSync(join(folder, '.env'), 'API_PORT=4000\nREDIS_PASSWORD=of-an-older-release\n');
    const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');
    const run = () => execFileSync('/bin/sh', [script], { encoding: 'utf8' });
    expect(run()).toContain('remove POSTGRES_ADMIN_PASSWORD');
    const first = secret('secrets_key');
    run();
    expect(secret('secrets_key')).toBe(first);
    expect(secret('redis_conf')).toBe('requirepass of-an-older-release\n');
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    const compose = read('docker/compose.yaml');
    const env: Record<string, string> = {};
    for (const [, name, file] of compose.matchAll(/^ {4}([A-Z_]+_FILE): \/run\/secrets\/(\w+)$/gm)) {
      env[name!] = join(folder, 'secrets', file!);
      expect(compose).toContain(`${file}: { file: ./secrets/${file} }`);
    }
    const config = loadConfig(env);
    expect(config.redis.url).toBe('redis://:of-an-older-release@redis:6379');
    expect(config.database.url).toBe(`postgres://atrium:${secret('postgres_password').trim()}@postgres:5432/atrium`);
    expect(config.secrets.key).toBe(first.trim());
    rmSync(folder, { recursive: true });
  });
});

const withoutComments = (source: string) => source.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, '');

/** What an expression of that module comes to: tests, compiled to CommonJS, cannot load it. */
function fromScripts(expression: string): unknown {
  const url = pathToFileURL(join(root, 'scripts/lib/child-environments.mjs')).href;
  const program = `import * as m from ${JSON.stringify(url)}; const { SECRET_SETTINGS, serverEnvironment, withoutSecrets } = m; console.log(JSON.stringify(${expression}))`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }));
}
