import type { LiveBus } from '@app/live';
import type { Claim, WorkClaims } from '@app/work';
import type { DataSource } from 'typeorm';
import type { GatewayEvent } from '../gateway/agent-gateway.js';
import type { FollowedRun } from './follow-work.js';
import { RunLogWriter } from './run-log-writer.js';

const event: GatewayEvent = { cursor: '1', event: 'message.delta', data: { delta: 'a' }, at: new Date() };
const claimOf = (id: string) => ({ row: { id } }) as Claim<FollowedRun>;

describe('RunLogWriter', () => {
  it('fails for all at once while the database is away, and one by one where a value is at fault', async () => {
    let failure: Error = new Error('Connection terminated');
    const asked: unknown[] = [];
    const dataSource = {
      transaction: () => {
        asked.push(failure);
        return Promise.reject(failure);
      },
    } as unknown as DataSource;
    const published: unknown[] = [];
    const live = { publishAll: (messages: unknown[]) => published.push(...messages) } as unknown as LiveBus;
    const writer = new RunLogWriter(dataSource, {} as WorkClaims, live);
    const append = () => Promise.allSettled(['a', 'b', 'c'].map((id) => writer.append(claimOf(id), 0, [event])));
    const isRefused = { status: 'rejected', reason: expect.any(Error) };
    expect(await append()).toEqual([isRefused, isRefused, isRefused]);
    expect(asked).toHaveLength(1);
    failure = Object.assign(new Error('invalid'), { code: '22P05' });
    await append();
    // Together, then each alone.
    expect(asked).toHaveLength(1 + 4);
    expect(published).toEqual([]);
  });
});
