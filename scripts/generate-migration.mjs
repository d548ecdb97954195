// `npm run migration:generate -- <name>`: writes what the entities have and the migrations lack as a new migration. They
// are compared on a throw-away database; `--database <url>` names another one, `--folder <path>` where the files are.
import fs from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { assertMigrated, createDataSource, runMigrations, schemaDrift } from '@app/entities';
import { format } from 'oxfmt';
import { say } from './lib/log.mjs';
import { migrationSource, nextNumber, withMigration } from './lib/migration-file.mjs';
import { inRoot } from './lib/paths.mjs';
import { TestServers } from './lib/test-servers.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { database: { type: 'string' }, folder: { type: 'string' } },
});
const [name] = positionals;
const folder = values.folder ?? inRoot('libs', 'entities', 'src', 'migrations');

async function compared(url) {
  const dataSource = await createDataSource(
    { url, poolSize: 2, statementTimeoutMs: 30_000 },
    'atrium-migration',
  ).initialize();
  try {
    await (values.database ? assertMigrated(dataSource) : runMigrations(dataSource));
    const keywords = await dataSource.query(`SELECT word FROM pg_get_keywords() WHERE catcode <> 'U'`);
    return { drift: await schemaDrift(dataSource), keywords: new Set(keywords.map(({ word }) => word)) };
  } finally {
    await dataSource.destroy();
  }
}

async function onThrowAwayServer(work) {
  const servers = new TestServers();
  try {
    const { TEST_DATABASE_URL } = await servers.start({ TEST_REDIS_URL: 'not needed' });
    return await work(TEST_DATABASE_URL);
  } finally {
    await servers.stop();
  }
}

async function write(file, text) {
  const options = JSON.parse(await fs.readFile(inRoot('.oxfmtrc.json'), 'utf8'));
  const { code, errors } = await format(path.basename(file), text, options);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  await fs.writeFile(file, code);
}

if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name ?? '')) {
  say('Usage: npm run migration:generate -- <name>, in small letters with hyphens: shares-of-tables');
  process.exit(1);
}
const { drift, keywords } = values.database ? await compared(values.database) : await onThrowAwayServer(compared);
if (drift.up.length === 0) {
  say('There is nothing to do: the migrations make what the entities say.');
} else {
  const number = nextNumber(await fs.readdir(folder));
  const [file, index] = [path.join(folder, `${number}-${name}.ts`), path.join(folder, 'index.ts')];
  await write(file, migrationSource(name, number, drift, keywords));
  await write(index, withMigration(await fs.readFile(index, 'utf8'), name, number));
  say(
    `Written: ${path.relative(process.cwd(), file)}, and its line in index.ts. Read it: a column that got another name is`,
  );
  say(
    'dropped and added here, and npm run test:unit -- --testPathPatterns migrations tells what would hold up those at work.',
  );
}
