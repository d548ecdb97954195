import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { loadParser } from '../support/sql/relations.js';
import { Sources } from '../support/sql/sources.js';
import { OTHER_DATABASES, readStatements, type Naming, type Reading } from '../support/sql/statements.js';
import { OUTSIDE, OWNERS, TRIGGERED, UNNAMED } from './table-owners.js';

const ROOT = resolve(__dirname, '../..');
const TABLE = /@Entity\(\s*(?:\{\s*name:\s*)?'(\w+)'/g;
const FUNCTION = /CREATE (?:OR REPLACE )?FUNCTION (\w+)/g;

const owners = new Map(
  Object.entries(OWNERS).flatMap(([owner, names]) => names.split(/\s+/).map((name) => [name, owner] as const)),
);

function namesOf(pattern: string, found: RegExp): Set<string> {
  const files = globSync(pattern, { cwd: ROOT });
  return new Set(
    files.flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(found)].map(([, name]) => name!)),
  );
}

/** The lib, or the area of an app, that a file belongs to. */
function unitOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('libs/') ? 2 : 4)
    .join('/')
    .replace(/\.ts$/, '');
}

/** What stands outside: by unit, then written (or called) and read; what is written there may be read there too. */
function outsideOf(namings: readonly Naming[]): Record<string, { writes: string[]; reads: string[] }> {
  const found: Record<string, { writes: Set<string>; reads: Set<string> }> = {};
  for (const { file, name, kind } of namings) {
    const unit = unitOf(file);
    if (owners.get(name) === unit) continue;
    const of = (found[unit] ??= { writes: new Set(), reads: new Set() });
    (kind === 'read' ? of.reads : of.writes).add(name);
  }
  return Object.fromEntries(
    Object.entries(found).map(([unit, { writes, reads }]) => [
      unit,
      { writes: [...writes].sort(), reads: [...reads].filter((name) => !writes.has(name)).sort() },
    ]),
  );
}

describe('the owners of tables', () => {
  const tables = namesOf('libs/entities/src/**/*.entity.ts', TABLE);
  const functions = namesOf('libs/entities/src/functions/*.ts', FUNCTION);
  let reading: Reading;

  beforeAll(async () => {
    await loadParser();
    reading = readStatements(tables, functions);
  });

  it('every table and every function of the database has one, and nothing else has', () => {
    const listed = Object.values(OWNERS).flatMap((names) => names.split(/\s+/));
    expect([...listed, ...TRIGGERED].sort()).toEqual([...tables, ...functions].sort());
    for (const owner of Object.keys(OWNERS)) {
      expect(owner).toMatch(/^libs\//);
      expect(globSync(`${owner}/**/*.ts`, { cwd: ROOT })).not.toEqual([]);
    }
  });

  it('name their tables alone; the list of what others name only shrinks', () => {
    const listed = Object.fromEntries(
      Object.entries(OUTSIDE).map(([unit, { writes = '', reads = '' }]) => [
        unit,
        { writes: writes.split(' ').filter(Boolean).sort(), reads: reads.split(' ').filter(Boolean).sort() },
      ]),
    );
    expect(outsideOf(reading.namings)).toEqual(listed);
  });

  it('every statement is read, and a table that only the running program knows has its reason', () => {
    expect(reading.statements.length).toBeGreaterThan(500);
    expect(reading.unread).toEqual([]);
    const files = new Set(reading.unnamed.map((one) => one.split(':')[0]!));
    expect([...files].sort()).toEqual(Object.keys(UNNAMED).sort());
  });

  it('apps issue no statements', () => {
    const places = reading.statements.filter(({ file }) => file.startsWith('apps/'));
    expect(places.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  });

  it('statements for other databases have no connection to ours', () => {
    const files = OTHER_DATABASES.flatMap((folder) => globSync(`${folder}**/*.ts`, { cwd: ROOT }));
    expect(files.length).toBeGreaterThan(10);
    const connected = files.filter((file) =>
      /from '(?:typeorm|@app\/entities)'/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(connected).toEqual([]);
  });
});

describe('the reader of statements', () => {
  const root = mkdtempSync(join(tmpdir(), 'statements-'));
  const read = (files: Record<string, string>): Reading => {
    rmSync(root, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return readStatements(new Set(['users', 'documents', 'chats']), new Set(['stop_run']), new Sources(root));
  };
  const named = (text: string): string[] =>
    read({ 'apps/api/src/a.ts': text })
      .namings.map(({ name, kind }) => `${kind} ${name}`)
      .sort();

  beforeAll(() => loadParser());
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it.each<[string, string[]]>([
    ["db.query('SELECT id FROM users u')", ['read users']],
    ["db.query('SELECT FROM chats c, public.users u')", ['read chats', 'read users']],
    ["db.query('SELECT id FROM other.users')", []],
    ["db.query('INSERT INTO users (id) SELECT id FROM documents')", ['read documents', 'write users']],
    ["db.query('WITH users AS (SELECT 1) SELECT FROM users')", []],
    ["db.query('WITH gone AS (DELETE FROM users USING chats RETURNING 1) SELECT 1')", ['read chats', 'write users']],
    ["db.query('SELECT stop_run(id) FROM chats')", ['call stop_run', 'read chats']],
    ["db.query('LOCK TABLE users')", ['write users']],
    ['db.query(`UPDATE users SET ${changes.join()} WHERE id = $1`)', ['write users']],
    ["db.query(`${given ? 'SELECT 1 FROM users' : 'SELECT 1 FROM chats'}`)", ['read chats', 'read users']],
    ["const TO = 'users'; db.query(`DELETE FROM ${TO}`)", ['write users']],
    ["const PART = 'JOIN users u ON true'", ['read users']],
    ["const PART = '(' + 'SELECT 1 FROM users u'", ['read users']],
    ["for (const [t, c] of Object.entries({ chats: 'id' })) db.query(`DELETE FROM ${t}`)", ['write chats']],
    ["for (const t of ['users', 'chats']) db.query(`DELETE FROM ${t}`)", ['write chats', 'write users']],
    ["export const work = defineWork({ table: 'users' })", ['write users']],
    ["const said = 'A message from users into chats'", []],
  ])('%s', (text, expected) => {
    expect(named(text)).toEqual(expected);
  });

  it('counts the words of another lib where they stand', () => {
    const { namings, statements } = read({
      'libs/access/src/index.ts': "export * from './seen.js';",
      'libs/access/src/seen.ts': 'export const seen = (a: string) => `EXISTS (SELECT FROM users WHERE id = ${a}.id)`;',
      'apps/api/src/a.ts':
        "import { seen } from '@app/access'; db.query(`SELECT id FROM documents d WHERE ${seen('d')}`)",
    });
    expect(namings.map(({ file, name }) => `${file} ${name}`)).toEqual([
      'apps/api/src/a.ts documents',
      'libs/access/src/seen.ts users',
    ]);
    expect(statements).toMatchObject([
      { isWhole: true, text: 'SELECT id FROM documents d WHERE EXISTS (SELECT FROM users WHERE id = d.id)' },
    ]);
  });

  it('tells what it cannot read', () => {
    const { unread, unnamed } = read({
      'apps/api/src/a.ts': "db.query('SELECT FROM WHERE'); db.query(`SELECT id FROM ${given.table}`)",
    });
    expect(unread).toEqual(['apps/api/src/a.ts: SELECT FROM WHERE']);
    expect(unnamed).toEqual(['apps/api/src/a.ts: given.table']);
  });
});
