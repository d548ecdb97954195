import crypto from 'node:crypto';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { APPS, launchApp } from './apps.mjs';
import { ensureDatabase } from './database.mjs';
import { launchAnywhere, launchOn } from './embedded-server.mjs';
import { followErrors, followLines, openLog } from './log-files.mjs';
import { say } from './log.mjs';
import { endProcess, identityOf, stillRuns } from './processes.mjs';
import { choosePort, isPortFree } from './ports.mjs';
import { prettyLine } from './pretty-log.mjs';
import { assertPostgresAnswers, DURABLE, preparePostgres, stopLeftoverPostgres } from './postgres.mjs';
import { assertRedisAnswers, prepareRedis, stopLeftoverRedis } from './redis.mjs';
import { Supervised } from './supervised.mjs';
import { findUnprivilegedUser } from './unprivileged-user.mjs';

/** A start waits no longer for models: what they say later stands in the log. */
const MODELS_WITHIN_MS = 5000;

const USUAL_PAGES_PORT = 3001;

/** Who works on the code waits for nothing: an app may be killed at any moment, and what it held is taken over. */
const RESTART_TIMEOUT_MS = 700;

/** Everything that runs: the two embedded servers (unless addresses are given) and the three apps. */
export class Platform {
  #apps = [];
  #postgres = null;
  #redis = null;
  #followers = [];
  /** Of the pages of artifacts. */
  #pagesPort = null;
  /** Where the embedded Postgres keeps its data. */
  clusterFolder = null;
  #stopping = false;
  #tellModels = () => {};
  #models = new Promise((resolve) => (this.#tellModels = resolve));

  /**
   * @param {ReturnType<import('./settings.mjs').readSettings>} settings
   * @param {import('./data-folder.mjs').DataFolder} data
   * @param {{ inspectAt: (index: number) => number }} [development] for who works on the code: inspectors, whole logs
   */
  constructor(settings, data, development) {
    this.development = development;
    this.settings = settings;
    this.data = data;
    const host = ['0.0.0.0', '::', ''].includes(settings.apiHost) ? '127.0.0.1' : settings.apiHost;
    this.apiUrl = `http://${host.includes(':') ? `[${host}]` : host}:${settings.apiPort}`;
  }

  /** Where browsers find pages: the api is at the other name of this machine (docs/concepts/pages.md). */
  get pagesOrigin() {
    return this.settings.env.ARTIFACT_ORIGIN || `http://localhost:${this.#pagesPort}`;
  }

  /** The named one, else the usual one, else that of the last start, else any: nobody types it. */
  async #choosePagesPort() {
    const { pagesPort, apiHost, apiPort } = this.settings;
    const usual = apiPort === USUAL_PAGES_PORT ? USUAL_PAGES_PORT + 1 : USUAL_PAGES_PORT;
    if (pagesPort !== null) this.#pagesPort = pagesPort;
    else if (await isPortFree(usual, apiHost)) this.#pagesPort = usual;
    else this.#pagesPort = await choosePort(this.data.read('ports').pages);
    this.data.remember('ports', { pages: this.#pagesPort });
    return this.#pagesPort;
  }

  /** After kill -9 the apps end when their ipc channel closes; this waits for it, or insists. */
  async stopLeftovers() {
    const left = Object.values(this.data.read('processes')).filter(stillRuns);
    const user = this.settings.env.DATABASE_URL ? null : findUnprivilegedUser();
    if (left.length > 0) say('- The last run was killed; stopping what it left behind ...');
    await Promise.all(left.map(({ pid }) => endProcess(pid)));
    await Promise.all([stopLeftoverRedis(this.data.redis), stopLeftoverPostgres(this.data.postgres(user))]);
  }

  /** @returns {Promise<NodeJS.ProcessEnv>} the environment of the apps */
  async startServers() {
    // Both to their end, so that a failure of one does not leave the other half started.
    const started = await Promise.allSettled([this.#startPostgres(), this.#startRedis()]);
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason;
    const [DATABASE_URL, REDIS_URL] = started.map((outcome) => outcome.value);
    const { env, apiPort, apiHost } = this.settings;
    return {
      NODE_ENV: 'production',
      // Saves each start after the first the compilation of the apps' modules.
      NODE_COMPILE_CACHE: path.join(this.data.root, 'cache', 'node'),
      // Whoever stops it by hand waits for it.
      SHUTDOWN_DRAIN_SECONDS: '4',
      // A process that stands at a breakpoint hangs by intention; nobody waits for a drain, or reads the documentation.
      ...(this.development && { SHUTDOWN_DRAIN_SECONDS: '0', HANG_SECONDS: '0', DESCRIBE_AT_START: 'false' }),
      // A trial on this machine: web apps that are developed on it may call. A public address says otherwise.
      CORS_LOCALHOST: env.PUBLIC_URL ? 'false' : 'true',
      // On a machine of one's own plans may be tried without money.
      BILLING_TEST_IN_PRODUCTION: env.PUBLIC_URL ? 'false' : 'true',
      ...env,
      DATABASE_URL,
      REDIS_URL,
      API_PORT: String(apiPort),
      API_HOST: apiHost,
      ARTIFACT_PORT: String(await this.#choosePagesPort()),
      DATA_DIR: this.data.root,
      STORAGE_DIR: env.STORAGE_DIR ?? this.data.files,
      OUTBOX_DIR: env.OUTBOX_DIR ?? this.data.outbox,
      SECRETS_PREVIOUS_KEYS: env.SECRETS_PREVIOUS_KEYS ?? this.data.previousKeys().join(','),
      SECRETS_KEY: env.SECRETS_KEY ?? this.data.secret('secrets-key', () => crypto.randomBytes(32).toString('base64')),
    };
  }

  async #startPostgres() {
    const given = this.settings.env.DATABASE_URL;
    if (given) {
      await assertPostgresAnswers(given);
      return given;
    }
    this.clusterFolder = this.data.postgres(findUnprivilegedUser());
    const server = await preparePostgres({
      cluster: this.clusterFolder,
      password: this.data.secret('postgres-password'),
      settings: DURABLE,
      log: openLog(this.data.logs, 'postgres'),
    });
    this.#postgres = this.#embed('postgres', server, { ask: 'SIGINT', timeoutMs: 15_000 });
    const port = await this.#postgres.firstPort();
    await ensureDatabase(server.urlAt(port, 'atrium'), server.urlAt(port, 'postgres'));
    return server.urlAt(port, 'atrium');
  }

  async #startRedis() {
    const given = this.settings.env.REDIS_URL;
    if (given) {
      await assertRedisAnswers(given);
      return given;
    }
    const server = await prepareRedis({
      folder: this.data.redis,
      dataRoot: this.data.root,
      password: this.data.secret('redis-password'),
      durable: true,
      log: openLog(this.data.logs, 'redis'),
    });
    this.#redis = this.#embed('redis', server, {});
    return server.urlAt(await this.#redis.firstPort());
  }

  /** The apps know the port of the first start, so that a restart has to be there again. */
  #embed(key, server, ending) {
    let port;
    const launch = async (track) => {
      if (this.#stopping) throw new Error('stopping');
      if (port) return launchOn(port, server, track);
      const first = await launchAnywhere(server, this.data.read('ports')[key], track);
      port = first.port;
      this.data.remember('ports', { [key]: port });
      return first.child;
    };
    const supervised = new Supervised({ name: server.name, launch, report: (text) => say(`! ${text}`), ...ending });
    const firstPort = async () => {
      await supervised.start();
      return port;
    };
    return Object.assign(supervised, { firstPort });
  }

  /** @param {NodeJS.ProcessEnv} env */
  async startApps(env) {
    const healthPort = Number(env.HEALTH_PORT ?? 0);
    this.#apps = APPS.map((name, index) => {
      const log = openLog(this.data.logs, name);
      this.#followers.push(this.#follow(name, log.file));
      return new Supervised({
        name,
        hangSeconds: Number(env.HANG_SECONDS || 60),
        report: (text) => say(`! ${text}`),
        launch: (track) =>
          launchApp({
            name,
            // They share this machine, so that each needs a port of its own.
            env: healthPort > 0 ? { ...env, HEALTH_PORT: String(healthPort + index) } : env,
            log,
            readyUrl: `${this.apiUrl}/readyz/`,
            inspectAt: this.development?.inspectAt(index),
            hear: (message) => message?.type === 'models' && this.#tellModels(message.models),
            track: (child) => {
              this.data.remember('processes', { [name]: { pid: child.pid, identity: identityOf(child.pid) } });
              track(child);
            },
          }),
      });
    });
    await Promise.all(this.#apps.map((app) => app.start()));
  }

  #follow(name, file) {
    if (!this.development) return followErrors(file, (problem) => say(`[${name}] ${problem}`));
    const colours = process.stdout.isTTY;
    return followLines(file, (line) => process.stdout.write(`${prettyLine(name, line, { colours })}\n`), 100);
  }

  /** @param {readonly string[]} names of apps; those that do not come up are tried again like after a crash */
  async restartApps(names) {
    await Promise.all(
      this.#apps
        .filter((app) => names.includes(app.options.name))
        .map((app) => app.restart({ timeoutMs: RESTART_TIMEOUT_MS })),
    );
  }

  /**
   * How the language models answered when the api asked them for a word.
   * @returns {Promise<{ name: string, status: string, code: string | null, reason: string | null }[]>} empty when none
   *   has to be asked, or it takes too long
   */
  async modelProbes() {
    const { env } = this.settings;
    const isConfigured = env.LLM_PROVIDER === 'openai' || env.LLM_MODELS || env.LLM_MODELS_FILE;
    if (!isConfigured) return [];
    return Promise.race([this.#models, sleep(MODELS_WITHIN_MS, [], { ref: false })]);
  }

  /** Drains the apps, then stops Redis, then Postgres: each outlives those that need it. */
  async stop() {
    this.#stopping = true;
    await Promise.all(this.#apps.map((app) => app.stop()));
    for (const unfollow of this.#followers) unfollow();
    await this.#redis?.stop();
    await this.#postgres?.stop();
  }

  /** Without waiting. */
  killAll() {
    this.#stopping = true;
    for (const supervised of [...this.#apps, this.#redis, this.#postgres]) supervised?.kill();
  }
}
