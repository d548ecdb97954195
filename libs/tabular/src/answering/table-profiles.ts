import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { OpenTabularDatabase } from '../databases/tabular-databases.js';
import type { QueriedFile } from '../query/query-messages.js';
import { QueryRunner } from '../query/query-runner.js';
import { type AskedTable, toAskedTables } from './asked-table.js';
import { profileTables } from './table-profile.js';

/** Characters of all profiles that are kept, as JSON. */
const KEPT_LENGTH = 16_000_000;
/** What is deleted is not kept for long. */
const KEPT_MS = 15 * 60_000;

type Profile = Pick<AskedTable, 'sample' | 'persons' | 'columns'>;

export interface ProfileOrder {
  asker: string;
  /** Up to 5, opened by the asker. */
  databases: readonly OpenTabularDatabase[];
  signal?: AbortSignal | undefined;
}

/**
 * Looks at tables before they are asked. What it found is kept for a while: a database never changes, and most
 * questions are about one that was asked before.
 */
@Injectable()
export class TableProfiles {
  private readonly kept = new LRUCache<string, readonly Profile[]>({
    maxSize: KEPT_LENGTH,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    sizeCalculation: (profiles) => JSON.stringify(profiles).length,
  });

  constructor(private readonly runner: QueryRunner) {}

  /** The tables with what stands in them, and their files as the runner takes them. @throws as `QueryRunner.run` */
  async look({ asker, databases, signal }: ProfileOrder): Promise<{ tables: AskedTable[]; files: QueriedFile[] }> {
    const { tables, files } = toAskedTables(databases);
    const key = databases.every(({ contents }) => contents !== undefined)
      ? JSON.stringify(databases.map(({ contents, filename }) => [contents, filename]))
      : null;
    const known = key === null ? undefined : this.kept.get(key);
    if (known) return { tables: tables.map((table, at) => withProfile(table, known[at]!)), files };
    const isWhole = await profileTables(this.runner, { asker, files, signal }, tables);
    if (key !== null && isWhole) this.kept.set(key, tables.map(profileOf));
    return { tables, files };
  }
}

function profileOf({ sample, persons, columns }: AskedTable): Profile {
  // Whoever asks goes on with the columns, and writes into them.
  return { sample, ...(persons !== undefined && { persons }), columns: columns.map((column) => ({ ...column })) };
}

function withProfile(table: AskedTable, profile: Profile): AskedTable {
  return { ...table, ...profileOf({ ...table, ...profile }) };
}
