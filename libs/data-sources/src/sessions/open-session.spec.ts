import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { EgressGuard } from '@app/integrations';
import type { StoredSource } from '../sources/stored-source.js';
import { safetyNet } from '../../../../test/support/until.js';
import { openSession } from './open-session.js';
import { SESSION_LIMITS } from './session-limits.js';

const at = (address: string) => async () => [{ address, family: 4 }];

describe('a connection to a database', () => {
  const limits = { ...SESSION_LIMITS, connectMs: 60_000 };
  let server: Server;
  let port: number;
  let calls = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      calls += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  const open = (source: Partial<StoredSource>, guard: EgressGuard) =>
    openSession(
      {
        id: 1,
        type: 'postgres',
        host: 'books.example',
        port,
        database: 'books',
        username: 'reader',
        sslMode: 'disable',
        schemas: [],
        revision: 1,
        secret: 'secret',
        ...source,
      },
      guard,
      safetyNet(),
      limits,
    );

  it.each(['postgres', 'mysql'] as const)(
    'is not made without encryption where the host is not listed any more: %s',
    async (type) => {
      const message = 'Only hosts that this deployment lists may be called without encryption.';
      const guard = new EgressGuard({ allowedHosts: [], resolve: at('203.0.114.7') });
      const refused = open({ type }, guard);
      await expect(refused).rejects.toMatchObject({ code: 'source_unavailable', message });
      expect(calls).toBe(0);
      const listing = new EgressGuard({ allowedHosts: [`books.example:${port}`], resolve: at('127.0.0.1') });
      await expect(open({ type }, listing)).rejects.not.toMatchObject({ message });
      expect(calls).toBe(1);
      calls = 0;
    },
  );
});
