import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listening } from './listening.js';
import { nameSourcesInStacks } from './source-maps.js';

describe('nameSourcesInStacks', () => {
  const before = Error.prepareStackTrace;
  beforeAll(nameSourcesInStacks);
  afterAll(() => {
    Error.prepareStackTrace = before;
  });

  it('names the line of the source that threw', async () => {
    const failed = listening('API_PORT', 80, Promise.reject(new Error('no')));
    const { stack = '' } = (await failed.catch((error: Error) => error)) as Error;
    const [heading, frame] = stack.split('\n');
    expect(heading).toBe('StartupError: Port 80 (API_PORT) cannot be listened on: no.');
    const source = join(__dirname, 'listening.ts');
    const line = Number(frame?.slice(frame.indexOf(source) + source.length + 1).split(':')[0]);
    expect(readFileSync(source, 'utf8').split('\n')[line - 1]).toContain('throw new StartupError(');
  });

  it('leaves what has no map as it is', () => {
    const { stack } = new TypeError('odd\nmessage');
    expect(stack).toMatch(/^TypeError: odd\nmessage\n {4}at /);
    const shown = new Error('nothing to tell of');
    Object.defineProperty(shown, 'name', {
      get: () => {
        throw new Error('no name');
      },
    });
    expect(shown.stack).toMatch(/^(<error>|Error: nothing to tell of)\n {4}at /);
  });
});
