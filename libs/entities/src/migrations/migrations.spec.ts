import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The baseline, and what comes after it: a release is rolled out beside the one before, over tables that may be large. */
const FIRST = 1_766_000_001_600;

interface Migration {
  name: string;
  /** What is done on the way up: statements in backquotes and quotes. */
  up: string;
  transactional: boolean;
}

/** What a careless migration does to those who go on working, by the reason why not. */
const RULES: Record<string, (migration: Migration) => string[]> = {
  'an index of an older table is made CONCURRENTLY, outside of a transaction, and waits for locks as long as it takes':
    ({ up, transactional }) => {
      const made = [
        ...up.matchAll(/CREATE\s+(?:UNIQUE\s+)?INDEX\s+(CONCURRENTLY\s+)?(?:IF NOT EXISTS\s+)?\S+\s+ON\s+(\S+)/gi),
      ];
      const careless = made
        .filter(([, concurrently, table]) => !concurrently && !isNew(up, table!))
        .map(([text]) => text);
      const concurrent = made.some(([, concurrently]) => concurrently);
      if (concurrent && transactional) careless.push('CONCURRENTLY in a transaction');
      if (concurrent && !/SET lock_timeout = 0/.test(up)) careless.push('CONCURRENTLY with a lock_timeout');
      return careless;
    },
  'a constraint of an older table is NOT VALID first': ({ up }) =>
    // To the end of the statement, which a text in quotes is not.
    [...up.matchAll(/ALTER TABLE\s+(\S+)[^`';]*?ADD\s+CONSTRAINT(?:'[\w -]*'|[^`';])*/gi)]
      .filter(([text, table]) => !isNew(up, table!) && !/NOT VALID|USING INDEX/i.test(text))
      .map(([text]) => text),
  'a column is not narrowed, renamed or rewritten under those who use it': ({ up }) =>
    [
      ...up.matchAll(
        /ALTER TABLE\s+(\S+)[^`';]*?(?:SET NOT NULL|ALTER\s+(?:COLUMN\s+)?\S+\s+(?:SET DATA\s+)?TYPE|RENAME)[^`';]*/gi,
      ),
    ]
      .filter(([, table]) => !isNew(up, table!))
      .map(([text]) => text),
  'nothing is dropped that the release before reads': ({ up }) =>
    [
      ...up.matchAll(/DROP\s+(?:TABLE|COLUMN)\s+\S+|ALTER TABLE\s+\S+[^`';]*?\bDROP\s+(?!CONSTRAINT|DEFAULT|NOT)\S+/gi),
    ].map(([text]) => text),
  'a column that must be there has a default': ({ up }) =>
    [...up.matchAll(/ALTER TABLE\s+(\S+)[^`';]*?\bADD\s+(?!CONSTRAINT)[^`',;]*NOT NULL[^`',;]*/gi)]
      .filter(([text, table]) => !isNew(up, table!) && !/DEFAULT/i.test(text))
      .map(([text]) => text),
};

const isNew = (up: string, table: string) =>
  new RegExp(`CREATE TABLE\\s+${table.replaceAll(/\W/g, '')}\\b`, 'i').test(up);

function read(file: string): Migration {
  const source = readFileSync(join(__dirname, file), 'utf8');
  const [before, down = ''] = source.split(/\basync down\(/);
  expect(down).not.toBe('');
  return { name: file, up: before!, transactional: !/transaction = false/.test(source) };
}

const breaches = (migration: Migration) =>
  Object.entries(RULES).flatMap(([rule, find]) => find(migration).map((text) => ({ in: migration.name, rule, text })));

const careless = (up: string, transactional = true) => breaches({ name: 'x', up, transactional }).length > 0;

describe('migrations', () => {
  it('leave those at work in peace', () => {
    const files = readdirSync(__dirname).filter((file) => /^\d+-.*\.ts$/.test(file) && Number.parseInt(file) >= FIRST);
    expect(files.length).toBeGreaterThan(0);
    expect(files.flatMap((file) => breaches(read(file)))).toEqual([]);
  });

  it.each([
    'CREATE INDEX a ON documents (uid)',
    'CREATE UNIQUE INDEX a ON documents (uid)',
    'CREATE INDEX CONCURRENTLY a ON documents (uid)',
    'ALTER TABLE documents ADD CONSTRAINT a CHECK (true)',
    'ALTER TABLE documents ADD CONSTRAINT a FOREIGN KEY (b) REFERENCES users (id)',
    'ALTER TABLE documents ALTER COLUMN a TYPE bigint',
    'ALTER TABLE documents ALTER a SET NOT NULL',
    'ALTER TABLE documents RENAME a TO b',
    'ALTER TABLE documents DROP a',
    'DROP TABLE documents',
    'ALTER TABLE documents ADD a integer NOT NULL',
  ])('would not: %s', (statement) => expect(careless(statement)).toBe(true));

  it.each([
    'CREATE TABLE a (b integer); CREATE INDEX c ON a (b); ALTER TABLE a ADD CONSTRAINT d CHECK (true)',
    'ALTER TABLE documents ADD a integer',
    'ALTER TABLE documents ADD a integer NOT NULL DEFAULT 0',
    'ALTER TABLE documents ADD CONSTRAINT a CHECK (true) NOT VALID',
    'ALTER TABLE documents VALIDATE CONSTRAINT a',
  ])('may: %s', (statement) => expect(careless(statement)).toBe(false));

  it('may make an index beside those at work', () =>
    expect(careless('SET lock_timeout = 0; CREATE INDEX CONCURRENTLY a ON documents (uid)', false)).toBe(false));
});
