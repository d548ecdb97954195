import { setTimeout as sleep } from 'node:timers/promises';
import { executeRunJob, indexDocumentJob } from '@app/contracts';
import { DatabaseModule } from '@app/entities';
import { JobQueues, HandlesJob, Outbox, QueuesModule, Relay } from '@app/queues';
import { currentContext, newId, runInContext } from '@app/common';
import type { AppConfig } from '@app/config';
import { Injectable, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { testServers } from '../support/servers.js';
import { switchedPort } from '../support/switched-port.js';
import { until } from '../support/until.js';
import { Wire } from '../support/wire.js';

interface Handled {
  runId: string;
  requestId: string | undefined;
}

function consumer(config: AppConfig, handled: Handled[]): Promise<INestApplicationContext> {
  @Injectable()
  class Runs {
    @HandlesJob(executeRunJob)
    async execute({ runId }: { runId: string }): Promise<void> {
      handled.push({ runId, requestId: currentContext()?.requestId });
      await Promise.resolve();
    }
  }
  @Module({
    imports: [DatabaseModule.forRoot(config, 'test'), QueuesModule.forRoot(config, { consumes: { runs: 2 } })],
    providers: [Runs],
  })
  class App {}
  return NestFactory.createApplicationContext(App, { logger: false });
}

describe('queues', () => {
  let database: TestDatabase;
  const apps: INestApplicationContext[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  async function start(handled: Handled[], overrides: Record<string, string> = {}) {
    const config = testConfig(database.url, overrides);
    const app = await consumer(config, handled);
    apps.push(app);
    return { app, config, outbox: app.get(Outbox), dataSource: app.get(DataSource) };
  }

  /** Those of other tests have no Redis, or another one, and share the outbox. */
  const closeOthers = () => Promise.all(apps.splice(0).map((app) => app.close()));
  const outboxSize = async () =>
    Number((await database.dataSource.query('SELECT count(*) FROM outbox_messages'))[0].count);

  it('delivers a committed job with the request id, and empties the outbox', async () => {
    const handled: Handled[] = [];
    const { outbox, dataSource } = await start(handled);
    const runId = newId();
    await runInContext({ requestId: 'req-7' }, async () => {
      const receipt = await dataSource.transaction((tx) => outbox.enqueue(executeRunJob, { runId, fence: 0 }, tx));
      expect(await outbox.publish([receipt])).toEqual({ pending: false, error: null });
    });
    await until(() => handled.length === 1);
    expect(handled).toEqual([{ runId, requestId: 'req-7' }]);
    await until(async () => (await outboxSize()) === 0);
  });

  it('stops while its connections are not open yet', async () => {
    const far = await switchedPort(new URL(testServers().redisUrl), { delayMs: 60 });
    try {
      // Jest fails the test by whatever is rejected and held by nobody.
      for (const openFor of [0, 30, 60, 90, 120, 150, 180, 210, 240]) {
        const app = await consumer(testConfig(database.url, { REDIS_URL: far.url }), []);
        await sleep(openFor);
        await app.close();
      }
      // None is left, nor opened afterwards.
      await sleep(200);
      await until(() => far.connections() === 0);
    } finally {
      await far.stop();
    }
  });

  it('has one connection for what all queues ask, however many there are, and one more for each that it works on', async () => {
    const near = await switchedPort(new URL(testServers().redisUrl));
    try {
      const handled: Handled[] = [];
      const { outbox, dataSource } = await start(handled, { REDIS_URL: near.url });
      const receipt = await dataSource.transaction((tx) =>
        outbox.enqueue(executeRunJob, { runId: newId(), fence: 0 }, tx),
      );
      await outbox.publish([receipt]);
      await until(() => handled.length === 1);
      // To ask for work, to take it, to wait for the next, and for what is due later.
      expect(near.connections()).toBeLessThanOrEqual(4);
      await closeOthers();
    } finally {
      await near.stop();
    }
  });

  it('sends nothing of a transaction that was rolled back', async () => {
    const handled: Handled[] = [];
    const { outbox, dataSource, app } = await start(handled);
    const refused = dataSource.transaction(async (tx) => {
      await outbox.enqueue(executeRunJob, { runId: newId(), fence: 0 }, tx);
      throw new Error('rolled back');
    });
    await expect(refused).rejects.toThrow('rolled back');
    await app.get(Relay).deliverDue();
    await sleep(100);
    expect(handled).toEqual([]);
  });

  it('keeps the job while Redis is away, says so, and delivers it when Redis is back', async () => {
    await closeOthers();
    const handled: Handled[] = [];
    const away = await start([], { REDIS_URL: 'redis://127.0.0.1:1' });
    const refusals: number[] = [];
    away.outbox.onDelivery(executeRunJob, {
      refused: async (_payload, { attempts }) => {
        refusals.push(attempts);
        return 'retry';
      },
    });
    const runId = newId();
    const receipt = await away.dataSource.transaction((tx) =>
      away.outbox.enqueue(executeRunJob, { runId, fence: 0 }, tx),
    );
    expect(await away.outbox.publish([receipt])).toEqual({ pending: true, error: expect.any(String) });
    expect(await outboxSize()).toBe(1);
    await database.dataSource.query('UPDATE outbox_messages SET available_at = now()');
    await until(async () => {
      const [row] = await database.dataSource.query<{ attempts: number; later: boolean }[]>(
        'SELECT attempts, available_at > now() AS later FROM outbox_messages',
      );
      return row!.attempts > 0 && row!.later;
    });
    expect(refusals[0]).toBe(1);

    await closeOthers();
    await start(handled);
    await database.dataSource.query('UPDATE outbox_messages SET available_at = now()');
    await until(() => handled.length === 1);
    expect(handled[0]!.runId).toBe(runId);
    await until(async () => (await outboxSize()) === 0);
  });

  it('delivers what was put off as soon as Redis is back, whatever its back-off', async () => {
    await closeOthers();
    const { redisUrl } = testServers();
    const first = await Wire.to(redisUrl);
    const handled: Handled[] = [];
    const { app, outbox, dataSource } = await start(handled, { REDIS_URL: first.through(redisUrl) });
    await until(() =>
      app
        .get(JobQueues)
        .ping()
        .then(
          () => true,
          () => false,
        ),
    );
    first.close();
    const runId = newId();
    const receipt = await dataSource.transaction((tx) => outbox.enqueue(executeRunJob, { runId, fence: 0 }, tx));
    expect(await outbox.publish([receipt])).toMatchObject({ pending: true });
    await dataSource.query(`UPDATE outbox_messages SET attempts = 6, available_at = now() + interval '160 seconds'`);
    const second = await Wire.to(redisUrl, first.port);
    await until(() => handled.length === 1);
    expect(handled[0]!.runId).toBe(runId);
    await until(async () => (await outboxSize()) === 0);
    await apps.splice(apps.indexOf(app), 1)[0]!.close();
    second.close();
  });

  it('drops a message that its domain gives up', async () => {
    await closeOthers();
    const { outbox, dataSource } = await start([], { REDIS_URL: 'redis://127.0.0.1:1' });
    let refusals = 0;
    outbox.onDelivery(executeRunJob, {
      refused: async () => {
        refusals += 1;
        return 'give_up';
      },
    });
    await dataSource.transaction((tx) =>
      outbox.enqueue(executeRunJob, { runId: newId(), fence: 0 }, tx, { delayMs: 1 }),
    );
    // Its relay looks by itself, and may hold the row whenever we look.
    await until(async () => (await outboxSize()) === 0);
    expect(refusals).toBe(1);
  });

  it('leaves a job to the processes that know its domain', async () => {
    await closeOthers();
    const { outbox, dataSource, app } = await start([]);
    await dataSource.transaction((tx) =>
      outbox.enqueue(indexDocumentJob, { key: [newId()], fence: 1 }, tx, { delayMs: 1 }),
    );
    await sleep(20);
    await app.get(Relay).deliverDue();
    expect(await outboxSize()).toBe(1);
    const told: unknown[] = [];
    outbox.onDelivery(indexDocumentJob, { accepted: async (payloads) => void told.push(...payloads) });
    await until(async () => (await outboxSize()) === 0);
    expect(told).toHaveLength(1);
  });

  it('adds a job once while it waits, and goes on after the queue was wiped', async () => {
    const handled: Handled[] = [];
    const { app, config } = await start(handled);
    const jobQueues = app.get(JobQueues);
    const message = {
      job: executeRunJob.name,
      queue: executeRunJob.queue,
      jobKey: 'same',
      payload: { runId: newId(), fence: 0 },
      requestId: null,
    };
    await jobQueues.add(Array.from({ length: 20 }, () => message));
    await until(() => handled.length === 1);
    const redis = new Redis(testServers().redisUrl);
    const keys = await redis.keys(`${config.redis.keyPrefix}:*`);
    await redis.del(keys);
    redis.disconnect();
    await jobQueues.add([{ ...message, jobKey: 'after' }]);
    await until(() => handled.length === 2);
  });

  it('refuses to start when a consumed queue has no handler', async () => {
    const config = testConfig(database.url);
    @Module({
      imports: [DatabaseModule.forRoot(config, 'test'), QueuesModule.forRoot(config, { consumes: { indexing: 1 } })],
    })
    class App {}
    const app = await Test.createTestingModule({ imports: [App] }).compile();
    apps.push(app);
    await expect(app.init()).rejects.toThrow('no method handles a job of it');
  });
});
