import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { LONG } from './long.js';

const root = resolve(__dirname, '../..');
const run = (file: string, args: string[], cwd: string) =>
  promisify(execFile)(process.execPath, [join(root, 'node_modules', file), ...args], { cwd, maxBuffer: 50_000_000 });

/** In `npm test` the one that is written in Go, which takes a fifth. */
const COMPILER = LONG ? 'typescript' : 'typescript-7';

/** What a person writes with openapi-typescript and openapi-fetch. */
const FETCH_SAMPLE = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const client = createClient<paths, 'application/json'>({ baseUrl: 'http://localhost:3000' });

export async function sample(): Promise<void> {
  const signedIn = await client.POST('/api/v1/token/login/', { body: { username: 'ada', password: 'x' } });
  const token: string = signedIn.data!.auth_token;
  const headers = { Authorization: \`Bearer \${token}\` };
  const me = await client.GET('/users/me/', { headers });
  const plan: string | undefined = me.data?.info.plan?.name;
  const hasWorkflows: boolean | undefined = me.data?.info.entitlements.features.flowapps;
  const saved = await client.POST('/microservices/workflow/start/', {
    headers,
    params: { header: { 'Idempotency-Key': 'one' } },
    body: { json: { name: 'Trips', nodes: [] } },
  });
  if (saved.error && 'problems' in saved.error) {
    const problem = (saved.error.problems ?? [])[0];
    const words: string | undefined = problem?.message;
    console.log(words, problem?.code.toUpperCase());
  }
  if (saved.error) {
    const code: string | undefined = saved.error.code;
    console.log(code);
  }
  const answer = await client.POST('/semantic-search/chat/', {
    params: { query: { framing: 'sse' } },
    body: { query: 'What is the limit?' },
    parseAs: 'stream',
  });
  // What has a default is left out.
  await client.POST('/microservices/boards/', { headers, body: { name: 'Trips' } });
  const usage = await client.GET('/subscriptions/usage/', { headers });
  const used: number | null | undefined = usage.data?.tokens.used;
  // Where nothing in the body has to be said there need be none.
  await client.POST('/api/v1/auth/refresh/', { credentials: 'include' });
  await client.POST('/subscriptions/cancel/');
  console.log(plan, hasWorkflows, used, answer.response.status);
}
`;

/** The same with the SDK of @hey-api/openapi-ts, whose functions have the names of the operations. */
const SDK_SAMPLE = `
import { createWorkflow, followTurn, getMe, listDocuments, signIn, uploadDocument } from './sdk/index.js';
import { client } from './sdk/client.gen.js';

export async function sample(): Promise<void> {
  client.setConfig({ baseUrl: 'http://localhost:3000' });
  const signedIn = await signIn({ body: { username: 'ada', password: 'x' } });
  const token: string | undefined = signedIn.data?.auth_token;
  client.setConfig({ auth: () => token });
  const me = await getMe();
  const last: string | null | undefined = me.data?.info.last_login;
  const uploaded = await uploadDocument({ body: { path: new Blob(['hello']), folder: 'a' } });
  const documents = await listDocuments();
  const first: string | undefined = documents.data?.[0]?.uid;
  await followTurn({ path: { turnId: 'x' }, headers: { 'Last-Event-ID': '3' } });
  console.log(last, uploaded.data, first, typeof createWorkflow);
}
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
  },
  include: ['*.ts', 'sdk/**/*.ts'],
};

/** @returns what the compiler says, strictly, of calls that people make with clients generated from the description */
export async function complaintsOfClients(description: string): Promise<string> {
  const folder = await mkdtemp(join(root, '.data-clients-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'openapi.json'), description);
    // As docs/guides/spa-developer.md tells people to.
    await run(
      'openapi-typescript/bin/cli.js',
      ['openapi.json', '-o', 'schema.ts', '--default-non-nullable', 'false'],
      folder,
    );
    await run(
      '@hey-api/openapi-ts/bin/run.js',
      ['-i', 'openapi.json', '-o', 'sdk', '-c', '@hey-api/client-fetch', '--no-log-file'],
      folder,
    );
    await writeFile(join(folder, 'fetch-sample.ts'), FETCH_SAMPLE);
    await writeFile(join(folder, 'sdk-sample.ts'), SDK_SAMPLE);
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const compiled = await run(`${COMPILER}/bin/tsc`, ['-p', '.'], folder).catch((error: { stdout: string }) => error);
    return compiled.stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
