import { Socket } from 'node:net';
import type { SourceResult } from '../shapes/result-shapes.js';
import { SourceFailure } from '../shapes/source-failure.js';
import { unreachable } from './open-socket.js';
import { ReadSession } from './read-session.js';
import { SESSION_LIMITS } from './session-limits.js';

/** A database that does not answer until it is cut off. */
class SilentSession extends ReadSession {
  cancels = 0;

  constructor(signal: AbortSignal) {
    super({
      socket: new Socket(),
      source: {
        id: 1,
        type: 'postgres',
        host: 'books.example',
        port: 5432,
        database: 'books',
        username: 'reader',
        sslMode: 'require',
        schemas: [],
        revision: 1,
        secret: '',
      },
      address: '127.0.0.1',
      limits: SESSION_LIMITS,
      signal,
    });
  }

  select(): Promise<SourceResult> {
    return this.read({ text: 'SELECT 1', values: [] });
  }

  protected async begin(): Promise<void> {}

  protected run(): Promise<SourceResult> {
    return new Promise((_, fail) => this.place.socket.once('close', () => fail(new Error('It broke off.'))));
  }

  protected async rollBack(): Promise<void> {}

  protected isOfDatabase(): boolean {
    return false;
  }

  protected failureOf(): SourceFailure {
    return unreachable();
  }

  protected async cancel(): Promise<void> {
    this.cancels += 1;
  }

  protected async leave(): Promise<void> {}
}

describe('a session', () => {
  it('asks its database once to end what is under way, when whoever asked leaves', async () => {
    const leaving = new AbortController();
    const session = new SilentSession(leaving.signal);
    const asked = session.select();
    await Promise.resolve();
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    expect([session.cancels, session.isOpen]).toEqual([1, false]);
    await session.end();
  });

  it('says that its connection broke off, and asks for the end of what may go on there', async () => {
    const session = new SilentSession(new AbortController().signal);
    const asked = session.select();
    await Promise.resolve();
    session['place'].socket.destroy();
    await expect(asked).rejects.toMatchObject({
      code: 'source_unavailable',
      message: 'The connection to the database broke off.',
    });
    expect(session.cancels).toBe(1);
  });
});
