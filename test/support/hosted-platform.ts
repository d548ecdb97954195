import type { AddressInfo } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { hostBackgroundJobs } from './background-jobs.js';
import { testConfig } from './config.js';
import { startHosted } from './hosted-apps.js';
import { addressOfApi, type AppName, type Platform, prepareDeployment } from './platform.js';

export interface HostedApp {
  /** Of an api. */
  baseUrl: string;
  /** Like SIGTERM. */
  stop(): Promise<void>;
}

export interface HostedPlatform extends Platform {
  /** Everything that its apps wrote, those within this process, with all that it writes, and those that are processes. */
  log(): string;
  /** One more replica within this process. */
  host(name: AppName, overrides?: Record<string, string>): Promise<HostedApp>;
}

/**
 * The apps within the process of the test: for tests that do not end one by force. A process of its own
 * (`start`, platform.ts) takes three to five seconds of a processor before it is ready; here that code is loaded.
 */
export async function hostPlatform(
  names: AppName[] = ['api', 'indexer', 'workflow-runner'],
  overrides: Record<string, string> = {},
): Promise<HostedPlatform> {
  const { database, env, apps, start, stop } = await prepareDeployment({ LOG_REQUESTS: 'false', ...overrides });
  const hosted = new Set<INestApplicationContext>();
  const lines: string[] = [];
  const endCopies = [process.stdout, process.stderr].map((stream) => copyOutput(stream, lines));
  const host = async (name: AppName, more: Record<string, string> = {}): Promise<HostedApp> => {
    const app = await startHosted(name, testConfig(database.url, { ...env, ...more }), (line) => void lines.push(line));
    hosted.add(app);
    const close = () => (hosted.delete(app) ? app.close() : Promise.resolve());
    return { baseUrl: name === 'api' ? `http://127.0.0.1:${portOf(app)}` : '', stop: close };
  };
  const stopAll = async () => {
    await Promise.all([...hosted].map((app) => app.close()));
    for (const end of endCopies) end();
    await stop();
  };
  try {
    const started: HostedApp[] = [];
    if (!names.includes('workflow-runner')) hosted.add(await hostBackgroundJobs(testConfig(database.url, env)));
    // One after the other: they share a thread, and connections that wait for it too long are given up.
    for (const name of names) started.push(await host(name));
    const hostedUrl = started.map(({ baseUrl }) => baseUrl).find(Boolean);
    return {
      database,
      env,
      apps,
      start,
      host,
      log: () => [...lines, ...apps.map((app) => app.log())].join(''),
      get baseUrl() {
        return hostedUrl ?? addressOfApi({ apps });
      },
      stop: stopAll,
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function portOf(api: INestApplicationContext): number {
  const { getHttpServer } = api as unknown as { getHttpServer(): { address(): AddressInfo } };
  return getHttpServer.call(api).address().port;
}

/** What is written past the logger, such as the log of requests. @returns what ends it */
function copyOutput(stream: NodeJS.WriteStream, to: string[]): () => void {
  const write = stream.write.bind(stream);
  const copying = (...args: Parameters<typeof write>) => {
    to.push(String(args[0]));
    return write(...args);
  };
  stream.write = copying as typeof stream.write;
  return () => {
    if (stream.write === copying) stream.write = write;
  };
}
