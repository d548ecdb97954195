import type { Readable } from 'node:stream';
import type { EntityManager } from 'typeorm';
import type { ExportedColumns } from './exported-columns.js';

/** What belongs to an account in one domain: the domain registers one, and every erasure and export walks them all. */
export interface OwnedData {
  /** Unique; kept in the record of an erasure, so it must not be renamed while one is at work. */
  readonly name: string;
  /** Tables that hold the account's rows or name it; a test compares all of them with the tables that do. */
  readonly tables: readonly string[];
  /** Lower goes first: what others point to comes after them. 50 unless told; the account itself is 100. */
  readonly order?: number;
  /** How much there is. */
  countFor(userId: number): Promise<number>;
  /**
   * Removes a bounded share of it, rows in the given transaction. It is called until it says that nothing is left, again
   * after a crash, and perhaps twice for the same share.
   * @returns how many were removed; 0 when nothing is left
   */
  deleteSome(userId: number, tx: EntityManager): Promise<number>;
  /** Of the tables whose rows are exported; a test compares them with the tables. */
  readonly columns?: readonly ExportedColumns[];
  /** What the owner gets in an export. */
  exportFor?(userId: number): AsyncIterable<ExportedFile>;
}

export interface ExportedFile {
  /** Relative path in the archive, with its extension. */
  path: string;
  /** Large ones are opened when their turn comes. */
  content: string | (() => Promise<Readable>);
}
