import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inAll } from '../../../test/support/long.js';

const WATCHDOG = pathToFileURL(resolve(__dirname, '../dist/watchdog.js')).href;

function run(code: string): Promise<{ signal: string | null; stderr: string }> {
  const program = `import { watchEventLoop } from ${JSON.stringify(WATCHDOG)}; const stop = watchEventLoop('a', 2); ${code}`;
  return new Promise((done) =>
    execFile(process.execPath, ['--input-type=module', '-e', program], (error, _, stderr) =>
      done({ signal: error?.signal ?? null, stderr }),
    ),
  );
}

describe('the watch over the event loop', () => {
  it('ends a process whose loop stands still, and says so', async () => {
    const { signal, stderr } = await run('setTimeout(() => { for (;;); }, 100)');
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', app: 'a' });
  });

  inAll('leaves a busy one alone, and one whose watch has ended', async () => {
    const busy = `const from = Date.now(); (function again() {
      for (const until = Date.now() + 600; Date.now() < until; );
      if (Date.now() - from < 4000) setTimeout(again);
    })();`;
    expect(await run(busy)).toEqual({ signal: null, stderr: '' });
    expect(await run('stop(); for (const until = Date.now() + 3500; Date.now() < until; );')).toMatchObject({
      signal: null,
    });
  });
});
