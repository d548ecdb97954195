import { BadGatewayError, OutsideFault, runInContext, UnavailableError } from '@app/common';
import { existsSync, openSync } from 'node:fs';
import { AppLogger, logDestination } from './logger.js';
import { inAll } from '../../../test/support/long.js';

function capture(write: (logger: AppLogger) => void): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  write(
    new AppLogger(
      'test',
      { level: 'info' },
      { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
  );
  return lines;
}

describe('AppLogger', () => {
  it('writes the request id, the context and the fields of each line', () => {
    const [line] = capture((logger) =>
      runInContext({ requestId: 'r-1', userId: 4 }, () =>
        logger.log('Signed in', { method: 'password' }, 'SessionService'),
      ),
    );
    expect(line).toMatchObject({
      level: 'info',
      msg: 'Signed in',
      requestId: 'r-1',
      userId: 4,
      method: 'password',
      context: 'SessionService',
      app: 'test',
    });
  });

  it('takes the text of a line from the object that holds its fields', () => {
    const [line] = capture((logger) => logger.log({ message: 'run completed', ms: 5 }, 'Work'));
    expect(line).toMatchObject({ msg: 'run completed', ms: 5, context: 'Work' });
    expect(line).not.toHaveProperty('message');
  });

  it('keeps the account of modules and routes for those who debug', () => {
    const lines = capture((logger) => {
      logger.log('Mapped {/users/me/, GET} route', 'RouterExplorer');
      logger.warn('A route is odd', 'RouterExplorer');
    });
    expect(lines.map(({ msg }) => msg)).toEqual(['A route is odd']);
  });

  const onLinux = existsSync('/dev/full') ? inAll : it.skip;
  onLinux('outlives a disk that is full', () => {
    const logger = new AppLogger('test', { level: 'info' }, logDestination(openSync('/dev/full', 'w')));
    for (let line = 0; line < 1500; line += 1) logger.log('x'.repeat(1000));
    expect(() => logger.error(new Error('still here'))).not.toThrow();
  });

  it('tells what others failed at in one line of warning, and what is at fault here with its stack', () => {
    class VendorFault extends OutsideFault {
      readonly code = 'status_529';
    }
    const vendor = new VendorFault('The model did not\nanswer with JSON.');
    const lines = capture((logger) => {
      logger.error(vendor, 'Turns');
      logger.error(new BadGatewayError('The model endpoint failed.', { code: 'model_error', cause: vendor }), 'Errors');
      const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      logger.error(new UnavailableError('The database is away.', { code: 'database_unavailable', cause: refused }));
      const fetched = new TypeError('fetch failed', { cause: refused });
      logger.error(new UnavailableError('It is away.', { cause: fetched }));
      logger.error(new UnavailableError('It is away.', { cause: new TypeError('x is not a function') }), 'Errors');
      logger.error(new Error('unknown'), 'Errors');
      logger.error(refused);
    });
    expect(lines.map(({ level, msg, stack }) => [level, msg, stack !== undefined])).toEqual([
      ['warn', 'status_529: The model did not answer with JSON.', false],
      ['warn', 'model_error: The model endpoint failed. (The model did not answer with JSON.)', false],
      ['warn', 'database_unavailable: The database is away. (connect ECONNREFUSED)', false],
      ['warn', 'unavailable: It is away. (fetch failed; connect ECONNREFUSED)', false],
      ['error', 'x is not a function', true],
      ['error', 'unknown', true],
      ['error', 'connect ECONNREFUSED', true],
    ]);
    expect(lines.slice(0, 2).map(({ context }) => context)).toEqual(['Turns', 'Errors']);
  });

  it('keeps secrets out of fields, texts and stacks', () => {
    const canary = 'canary-3f9a1c';
    const lines = capture((logger) => {
      logger.log({
        password: canary,
        body: { webhook_secret: canary, deep: { token: canary, list: [{ Sig: canary }] } },
      });
      logger.warn(`GET /ws/workflow/1/nodes/?token=${canary}&x=1`);
      logger.error(new Error(`connect postgres://atrium:${canary}@db/atrium failed`));
      logger.error('failed', `Error: Authorization: Token ${canary}`, 'Somewhere');
      logger.log('seen', { headers: { authorization: `Token ${canary}`, cookie: canary } });
    });
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toContain(canary);
  });
});
