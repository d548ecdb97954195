import { LiveBus, LiveModule } from '@app/live';
import { type INestApplicationContext, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { testConfig } from '../support/config.js';
import { testServers } from '../support/servers.js';
import { switchedPort } from '../support/switched-port.js';
import { until } from '../support/until.js';

/** Long enough that what is published at once comes before it. */
const DELAY_MS = 100;

const heard: number[] = [];

const configOf = (redisUrl: string) =>
  testConfig(testServers().databaseUrl, { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: `live-bus-${process.pid}` });

/** As services listen: when they begin, and without waiting for it. */
@Injectable()
class Listener implements OnModuleInit {
  constructor(private readonly live: LiveBus) {}

  onModuleInit(): void {
    void this.live.subscribe('principals', (change) => 'userId' in change && heard.push(change.userId));
  }
}

describe('the live bus behind a slow network', () => {
  let network: Awaited<ReturnType<typeof switchedPort>>;
  let app: INestApplicationContext;
  let other: INestApplicationContext;

  beforeAll(async () => {
    const { redisUrl } = testServers();
    network = await switchedPort(new URL(redisUrl), { delayMs: DELAY_MS });
    @Module({ imports: [LiveModule.forRoot(configOf(network.url))], providers: [Listener] })
    class Listening {}
    other = await NestFactory.createApplicationContext(LiveModule.forRoot(configOf(redisUrl)), { logger: false });
    app = await NestFactory.createApplicationContext(Listening, { logger: false });
  });
  afterAll(async () => {
    await app.close();
    await other.close();
    await network.stop();
  });

  it('is heard by a process that has started', async () => {
    other.get(LiveBus).publish('principals', { userId: 1 });
    await until(() => heard.includes(1));
  });

  it('is heard again, and without a gap, once the connection is said to be back', async () => {
    app.get(LiveBus).onGap(() => other.get(LiveBus).publish('principals', { userId: 2 }));
    await network.away();
    await network.back();
    await until(() => heard.includes(2));
  });
});
