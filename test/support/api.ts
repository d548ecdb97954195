import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../apps/api/src/app.js';
import type { ApiAdapter } from '../../apps/api/src/http/api-adapter.js';
import { PagesListener } from '../../apps/api/src/pages/pages-listener.js';
import { hostBackgroundJobs } from './background-jobs.js';
import { testConfig, testEnv } from './config.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { HttpClient } from './http-client.js';
import { startApp, type RunningApp } from './platform.js';

export interface TestApi {
  app: NestExpressApplication;
  /** What does its jobs. */
  jobs: INestApplicationContext;
  config: AppConfig;
  database: TestDatabase;
  baseUrl: string;
  /** The listener of pages. */
  pagesUrl: string;
  /** A new account, signed in. */
  signUp(): Promise<HttpClient>;
  /** One more api on the same database and Redis. */
  startReplica(overrides?: Record<string, string>): Promise<TestApi>;
  /** A workflow-runner beside it in this process, which works on turns and runs. It is stopped with the api, or before. */
  hostRunner(overrides?: Record<string, string>): Promise<HostedRunner>;
  /** The built workflow-runner beside it as a process, to be killed or for what it logs. It is stopped with the api. */
  startRunner(overrides?: Record<string, string>): Promise<RunningApp>;
  stop(): Promise<void>;
}

export interface HostedRunner {
  /** What was logged in this process since it was started. */
  log(): string;
  /** Like SIGTERM, by which a process is ended that can still say so. */
  stop(): Promise<void>;
}

/**
 * The api in this process, and what does its jobs, on a random port, with a database, Redis prefix and storage folder of
 * the test's own.
 * Rate limits are off unless `overrides` (environment variables) say otherwise.
 */
export async function startApi(overrides: Record<string, string> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'atrium-api-'));
  const storage = { STORAGE_DIR: join(folder, 'files'), OUTBOX_DIR: join(folder, 'outbox') };
  const settings = { RATE_LIMITS: 'false', ...storage, LOG_REQUESTS: 'false', ...overrides };
  const cleanUp = async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return await listen(database, settings, cleanUp);
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function listen(
  database: TestDatabase,
  settings: Record<string, string>,
  cleanUp: () => Promise<void>,
  jobsOfFirst?: INestApplicationContext,
): Promise<TestApi> {
  const config = testConfig(database.url, settings);
  const shared = { REDIS_KEY_PREFIX: config.redis.keyPrefix, SECRETS_KEY: config.secrets.key };
  const runners: RunningApp[] = [];
  const hosted = new Set<INestApplicationContext>();
  const app = await createApp(config, new AppLogger('api', config.logging));
  const jobs = jobsOfFirst ?? (await hostBackgroundJobs(config));
  await app.listen(0, '127.0.0.1');
  const adapter = app.getHttpAdapter() as ApiAdapter;
  const pagesPort = await app.get(PagesListener).listen(0, '127.0.0.1', adapter.answers);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    app,
    jobs,
    config,
    database,
    baseUrl,
    pagesUrl: `http://127.0.0.1:${pagesPort}`,
    signUp: () => HttpClient.signUp(baseUrl),
    startReplica: (overrides = {}) => listen(database, { ...settings, ...shared, ...overrides }, async () => {}, jobs),
    async hostRunner(overrides = {}) {
      // Loaded by those who want one.
      const { startHosted } = await import('./hosted-apps.js');
      const lines: string[] = [];
      const config = testConfig(database.url, { ...settings, ...shared, ...overrides });
      const runner = await startHosted('workflow-runner', config, (line) => void lines.push(line));
      hosted.add(runner);
      return {
        log: () => lines.join(''),
        stop: () => (hosted.delete(runner) ? runner.close() : Promise.resolve()),
      };
    },
    async startRunner(overrides = {}) {
      const env = testEnv(database.url, { ...settings, ...shared, ...overrides });
      const runner = await startApp('workflow-runner', env);
      runners.push(runner);
      return runner;
    },
    async stop() {
      await Promise.all(
        runners
          .filter(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null)
          .map((runner) => runner.kill()),
      );
      // Each waits half a second for Bull to let go of a blocked connection.
      const own = jobsOfFirst ? [] : [jobs];
      await Promise.all([app, ...hosted, ...own].map((one) => one.close()));
      await cleanUp();
    },
  };
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Any request, any answer: for what a client does wrong. */
export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const isJson = type.startsWith('application/json') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
