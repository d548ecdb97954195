import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Attack, politeAttack } from '../support/contract/attacks.js';
import { build, type Cast } from '../support/contract/build.js';
import { type Operation, readDescription, type RawDocument } from '../support/contract/description.js';
import { makeAccount, makeAdmin } from '../support/contract/stage.js';
import { type PublishedDocument, ValidatingProxy } from '../support/contract/validating-proxy.js';
import { sendRaw } from '../support/contract/wire-call.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inLong, LONG } from '../support/long.js';
import { ScriptedLlm } from '../support/scripted-llm.js';

const root = resolve(__dirname, '../..');
const run = promisify(execFile);

/** What ends the session or the account comes last. */
const lateness = ({ method, path }: Operation) =>
  /logout|\/users\/me\/|deletion|password|sessions/.test(path) ? 2 : method === 'DELETE' ? 1 : 0;

const AT_ONCE = 6;

/** Each operation as it should be called, by a stranger, and with a body that is none. */
const CALLS: Attack[] = [
  politeAttack,
  { ...politeAttack, caller: 'stranger' },
  { ...politeAttack, body: { kind: 'text', type: 'application/json', text: '{"a":' } },
];

/** What clients and api say to each other, held to `/openapi.json` as it is published. */
describe('calls through a proxy that validates', () => {
  let platform: HostedPlatform;
  let llm: ScriptedLlm;
  let document: PublishedDocument;

  beforeAll(async () => {
    llm = new ScriptedLlm();
    await llm.start();
    llm.answers(() => ({ text: 'Fine.' }));
    platform = await hostPlatform(undefined, llm.env);
    // Requests for access come from whoever was first.
    await HttpClient.signUp(platform.baseUrl);
    document = (await (await fetch(`${platform.baseUrl}/openapi.json`)).json()) as PublishedDocument;
  });
  afterAll(async () => {
    await platform?.stop();
    await llm.stop();
  });

  it('are as they are described: with limits, which are told in headers', async () => {
    const limited = await platform.host('api', { RATE_LIMITS: 'true' });
    const proxy = new ValidatingProxy(limited.baseUrl, document);
    try {
      const client = await HttpClient.signUp(await proxy.start());
      await client.get('/users/me/');
      await client.upload('/semantic-search/upload/', 'path', new File(['x'], 'a.txt'));
      await client.text('/semantic-search/all-files-chat/', { message: 'What is the limit?' });
    } finally {
      await proxy.stop();
      await limited.stop();
    }
    expect(proxy.violations).toEqual([]);
    expect(proxy.calls).toBe(5);
  });

  // In `npm test` the demo is what demo.spec.ts looks at, and its calls are among every operation.
  inLong('are as they are described: the demo', async () => {
    const limited = await platform.host('api', { RATE_LIMITS: 'true' });
    const proxy = new ValidatingProxy(limited.baseUrl, document);
    const dataDir = await mkdtemp(join(tmpdir(), 'atrium-demo-'));
    try {
      const seeded = await run(process.execPath, [join(root, 'apps/api/dist/cli/seed-demo.js')], {
        env: { ...process.env, ...platform.env },
      });
      await mkdir(join(dataDir, 'state'));
      const left = { apiUrl: await proxy.start(), demo: JSON.parse(seeded.stdout) as unknown };
      await writeFile(join(dataDir, 'state/platform.json'), JSON.stringify(left));
      const { PATH, HOME } = process.env;
      // What it answers is another test's: its socket does not go through this proxy, and its models are scripted.
      await run(process.execPath, [join(root, 'scripts/demo.mjs')], { env: { PATH, HOME, DATA_DIR: dataDir } }).catch(
        () => null,
      );
    } finally {
      await proxy.stop();
      await rm(dataDir, { recursive: true });
    }
    expect(proxy.violations).toEqual([]);
    expect(proxy.calls).toBeGreaterThan(15);
  });

  it('are as they are described: every operation, taken and refused', async () => {
    const proxy = new ValidatingProxy(platform.baseUrl, document);
    const ground = { baseUrl: await proxy.start(), database: platform.database };
    try {
      const user = await makeAccount(ground);
      const cast: Cast = { user, victim: user, adminToken: (await makeAdmin(ground)).token };
      const { operations } = readDescription(document as unknown as RawDocument);
      const [polite, ...refused] = CALLS;
      const ordered = operations.toSorted((a, b) => lateness(a) - lateness(b));
      const send = async (call: Attack, operation: Operation) => {
        if (call.body.kind === 'seed' || Object.keys(operation.takes).length > 0)
          await sendRaw(ground.baseUrl, build(call, operation, cast));
      };
      // These change nothing, so their order does not matter. Where there is a body, `npm test` sends one of them in turn.
      for (const [which, call] of refused.entries()) {
        const chosen = ordered.filter(
          ({ takes }, place) => LONG || Object.keys(takes).length === 0 || place % refused.length === which,
        );
        for (let at = 0; at < chosen.length; at += AT_ONCE)
          await Promise.all(chosen.slice(at, at + AT_ONCE).map((operation) => send(call, operation)));
      }
      for (const operation of ordered) await send(polite!, operation);
      // As a browser writes a form, and as one asks for events.
      const client = await HttpClient.signUp(ground.baseUrl);
      await client.upload('/semantic-search/upload/', 'path', new File(['x'], 'Größe.txt'), { folder: 'Früh' });
      const events = await client.send('POST', '/semantic-search/all-files-chat/?framing=sse', {
        message: 'The limit?',
      });
      expect([events.status, events.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      await events.text();
    } finally {
      await proxy.stop();
    }
    const kinds = Map.groupBy(proxy.violations, (one) => one.slice(0, 160));
    expect([...kinds.keys()]).toEqual([]);
    // These are the same for everybody.
    expect([...proxy.storable].toSorted()).toEqual(['GET /microservices/apis/ 200', 'GET /schemas/workflow.json 200']);
    expect(proxy.calls).toBeGreaterThan(300);
    const taken = [...proxy.seen].filter((one) => /[23]\d\d$/.test(one));
    expect(taken.length).toBeGreaterThan(150);
  }, 600_000);
});
