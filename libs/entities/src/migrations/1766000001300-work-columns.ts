import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Reworked {
  table: string;
  /** Former names of the columns that all background work has now. */
  renamed: Record<string, string>;
  /** SQL: the row is to be worked on; absent where there was a column for it. */
  isOpen?: string;
  /** Columns and indexes of this table alone. */
  more?: [up: string, down: string][];
}

const LEASE = { lease_expires_at: 'leased_until' };

const REWORKED: Reworked[] = [
  { table: 'exports', renamed: LEASE, isOpen: `state = 'running'` },
  { table: 'erasures', renamed: LEASE, isOpen: `state = 'running'` },
  {
    table: 'document_summaries',
    renamed: { ...LEASE, failed_tries: 'attempts', error: 'last_error' },
    isOpen: `status = 'pending'`,
    more: [
      [
        'ALTER TABLE document_summaries DROP COLUMN attempt, DROP COLUMN requested_at',
        `ALTER TABLE document_summaries ADD COLUMN attempt integer NOT NULL DEFAULT 0,
           ADD COLUMN requested_at timestamptz NOT NULL DEFAULT now()`,
      ],
      [
        'DROP INDEX IF EXISTS document_summaries_pending',
        `CREATE INDEX document_summaries_pending ON document_summaries (requested_at) WHERE status = 'pending'`,
      ],
    ],
  },
  {
    table: 'document_share_mirrors',
    renamed: { ...LEASE, tries: 'attempts', due_at: 'next_attempt_at' },
    more: [['DROP INDEX document_share_mirrors_due_at', indexOf('document_share_mirrors', 'due_at')]],
  },
  {
    table: 'external_sources',
    renamed: { ...LEASE, tries: 'attempts', resume_at: 'next_attempt_at', leased_by: 'lease_owner' },
    more: [
      [
        'ALTER TABLE external_sources RENAME CONSTRAINT external_sources_resume_check TO external_sources_next_attempt_check',
        'ALTER TABLE external_sources RENAME CONSTRAINT external_sources_next_attempt_check TO external_sources_resume_check',
      ],
      ['DROP INDEX external_sources_resume_at', indexOf('external_sources', 'resume_at')],
    ],
  },
  {
    table: 'workflow_request_fetches',
    renamed: { ...LEASE, resume_at: 'next_attempt_at' },
    more: [
      [
        'ALTER TABLE workflow_request_fetches ALTER COLUMN next_attempt_at DROP NOT NULL',
        'ALTER TABLE workflow_request_fetches ALTER COLUMN resume_at SET NOT NULL',
      ],
      [
        'DROP INDEX workflow_request_fetches_resume',
        'CREATE INDEX workflow_request_fetches_resume ON workflow_request_fetches (resume_at)',
      ],
    ],
  },
  {
    table: 'document_thumbnails',
    renamed: { ...LEASE, tries: 'attempts' },
    isOpen: `state = 'waiting'`,
    more: [
      [
        'ALTER TABLE document_thumbnails DROP COLUMN claim, DROP COLUMN rung_at',
        `ALTER TABLE document_thumbnails ADD COLUMN claim uuid,
           ADD COLUMN rung_at timestamptz NOT NULL DEFAULT now()`,
      ],
    ],
  },
];

const ADDED: [column: string, type: string][] = [
  ['attempts', 'integer NOT NULL DEFAULT 0'],
  ['fence', 'integer NOT NULL DEFAULT 0'],
  ['lease_owner', 'text'],
  ['last_error', `text NOT NULL DEFAULT ''`],
];

const MIRROR_COLUMNS: [string, string][] = [
  ['tries = 0', 'attempts = 0'],
  ['due_at = now()', 'next_attempt_at = now()'],
];

/** One set of columns for all background work on rows (libs/work), for the smaller kinds of work first. */
export class WorkColumns1766000001300 implements MigrationInterface {
  name = 'WorkColumns1766000001300';

  async up(runner: QueryRunner): Promise<void> {
    for (const { table, renamed, isOpen, more = [] } of REWORKED) {
      for (const [old, name] of Object.entries(renamed))
        await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${old} TO ${name}`);
      for (const [column, type] of ADDED)
        await runner.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} ${type}`);
      if (isOpen) {
        await runner.query(`ALTER TABLE ${table} ADD COLUMN next_attempt_at timestamptz`);
        await runner.query(`UPDATE ${table} SET next_attempt_at = now() WHERE ${isOpen}`);
      }
      if (table !== 'external_sources')
        await runner.query(`ALTER TABLE ${table} ALTER COLUMN next_attempt_at SET DEFAULT now()`);
      for (const [statement] of more) await runner.query(statement);
      await runner.query(indexOf(table, 'next_attempt_at'));
    }
    await replaceInMirror(runner, MIRROR_COLUMNS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceInMirror(
      runner,
      MIRROR_COLUMNS.map(([old, name]) => [name, old]),
    );
    for (const { table, renamed, isOpen, more = [] } of REWORKED.toReversed()) {
      await runner.query(`DROP INDEX ${table}_next_attempt_at`);
      if (isOpen) await runner.query(`ALTER TABLE ${table} DROP COLUMN next_attempt_at`);
      for (const column of ADDED_TO[table] ?? []) await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
      for (const [old, name] of Object.entries(renamed))
        await runner.query(`ALTER TABLE ${table} RENAME COLUMN ${name} TO ${old}`);
      for (const [, statement] of more) await runner.query(statement);
    }
  }
}

/** Columns that the table had under no name. */
const ADDED_TO: Record<string, string[]> = {
  exports: ['lease_owner'],
  erasures: ['lease_owner'],
  document_summaries: ['lease_owner'],
  document_share_mirrors: ['lease_owner'],
  workflow_request_fetches: ['lease_owner', 'attempts', 'last_error'],
  document_thumbnails: ['lease_owner', 'fence', 'last_error'],
};

function indexOf(table: string, column: string): string {
  return `CREATE INDEX ${table}_${column} ON ${table} (${column}) WHERE ${column} IS NOT NULL`;
}

async function replaceInMirror(runner: QueryRunner, replacements: [string, string][]): Promise<void> {
  const [{ source }] = (await runner.query(
    `SELECT pg_get_functiondef('mirror_document_share'::regproc) AS source`,
  )) as [{ source: string }];
  let text = source;
  for (const [old, name] of replacements) {
    // On the way back, and forth again, it is that of `functions/`, which is put in its place afterwards.
    if (!text.includes(old)) return;
    text = text.replaceAll(old, name);
  }
  await runner.query(text);
}
