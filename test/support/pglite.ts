import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';

const ROOT = join(__dirname, '../..');
/** Beside what Jest keeps from run to run. */
const KEPT = join(ROOT, 'node_modules/.cache/pglite');
/** What the state that is kept was made by, and of. */
const SHAPE = ['libs/entities/src/migrations', 'libs/entities/src/functions'];
const PACKAGES = ['@electric-sql/pglite', '@electric-sql/pglite-pgvector'];

async function shape(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of PACKAGES) {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')).packages[
      `node_modules/${name}`
    ] as { version: string };
    hash.update(`${name} ${version}`);
  }
  for (const folder of SHAPE)
    for (const file of (await readdir(join(ROOT, folder), { recursive: true })).toSorted())
      if (file.endsWith('.ts')) hash.update(await readFile(join(ROOT, folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * A PGlite as `prepare` leaves an empty one. Making one takes five seconds of a processor, so the first is kept for as
 * long as neither PGlite nor the schema changes, and what follows begins with a copy of it.
 */
export async function preparedPglite(options: PGliteOptions, prepare: (db: PGlite) => Promise<void>): Promise<PGlite> {
  const path = join(KEPT, `${await shape()}.tar`);
  const kept = await readFile(path).catch(() => null);
  if (kept) return PGlite.create({ ...options, loadDataDir: new Blob([kept]) });
  const db = await PGlite.create(options);
  await prepare(db);
  const made = await db.dumpDataDir('none');
  await mkdir(KEPT, { recursive: true });
  // At once, as another run may look for it.
  await writeFile(`${path}.${process.pid}`, Buffer.from(await made.arrayBuffer()));
  await rename(`${path}.${process.pid}`, path);
  return db;
}
