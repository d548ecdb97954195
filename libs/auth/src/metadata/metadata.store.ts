import { isDeepStrictEqual } from 'node:util';
import { InvalidRequestError } from '@app/common';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export type MetadataObject = Record<string, unknown>;

export interface StoredMetadata {
  id: string;
  data: MetadataObject;
}

const MAX_OBJECT_BYTES = 65_536;
const MAX_OBJECTS = 1000;
const MAX_TOTAL_BYTES = 4_194_304;
/** With the account's number: who changes an account's metadata waits for the other who does. */
const LOCK = 0x6d657461;

const placeOf = (row: string) => ({ table: 'user_metadata', column: 'data_sealed', row });

/** The client state of accounts, sealed at rest, so that only this class can look into it. */
@Injectable()
export class MetadataStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** Oldest first; with a key, only the objects that have it at their top. */
  async list(userId: number, key?: string, tx: EntityManager = this.dataSource.manager): Promise<StoredMetadata[]> {
    const rows = await tx.query<{ id: string; data_sealed: Buffer }[]>(
      'SELECT id, data_sealed FROM user_metadata WHERE user_id = $1 ORDER BY id',
      [userId],
    );
    const objects = rows.map(({ id, data_sealed }) => ({
      id,
      data: JSON.parse(this.sealing.openText(data_sealed, placeOf(id))) as MetadataObject,
    }));
    return key === undefined ? objects : objects.filter(({ data }) => Object.hasOwn(data, key));
  }

  /** @throws InvalidRequestError (`metadata_too_large`, `metadata_limit_reached`) */
  async push(userId: number, data: MetadataObject): Promise<void> {
    await this.change(userId, (tx) => this.insert(userId, data, tx));
  }

  /**
   * Removes every object whose values equal all the given pairs.
   * @returns how many there were; null when the account has no metadata at all
   */
  async pop(userId: number, criteria: MetadataObject): Promise<number | null> {
    return this.change(userId, async (tx) => {
      const objects = await this.list(userId, undefined, tx);
      if (objects.length === 0) return null;
      const ids = objects.filter(({ data }) => hasAll(data, criteria)).map(({ id }) => id);
      await tx.query('DELETE FROM user_metadata WHERE id = ANY($1::bigint[])', [ids]);
      return ids.length;
    });
  }

  /** Gives the key a new value wherever it stands; where it stands nowhere, in an object of its own. */
  async setKey(userId: number, key: string, value: unknown, tx: EntityManager): Promise<void> {
    await this.lock(userId, tx);
    const holders = await this.list(userId, key, tx);
    for (const { id, data } of holders)
      await tx.query('UPDATE user_metadata SET data_sealed = $2 WHERE id = $1', [
        id,
        this.sealing.seal(JSON.stringify({ ...data, [key]: value }), placeOf(id)),
      ]);
    if (holders.length === 0) await this.insert(userId, { [key]: value }, tx);
  }

  private change<T>(userId: number, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await this.lock(userId, tx);
      return work(tx);
    });
  }

  private async lock(userId: number, tx: EntityManager): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, userId]);
  }

  private async insert(userId: number, data: MetadataObject, tx: EntityManager): Promise<void> {
    const text = JSON.stringify(data);
    const size = Buffer.byteLength(text);
    if (size > MAX_OBJECT_BYTES)
      throw new InvalidRequestError('A metadata object may have at most 64 KiB.', { code: 'metadata_too_large' });
    const [held] = await tx.query<[{ objects: number; bytes: number }]>(
      `SELECT count(*)::int AS objects, coalesce(sum(octet_length(data_sealed)), 0)::int AS bytes
       FROM user_metadata WHERE user_id = $1`,
      [userId],
    );
    if (held.objects >= MAX_OBJECTS || held.bytes + size > MAX_TOTAL_BYTES)
      throw new InvalidRequestError('An account may hold 1,000 metadata objects and 4 MiB of them.', {
        code: 'metadata_limit_reached',
      });
    const [{ id }] = await tx.query<[{ id: string }]>(
      `SELECT nextval(pg_get_serial_sequence('user_metadata', 'id')) AS id`,
    );
    await tx.query('INSERT INTO user_metadata (id, user_id, data_sealed) VALUES ($1, $2, $3)', [
      id,
      userId,
      this.sealing.seal(text, placeOf(id)),
    ]);
  }
}

function hasAll(data: MetadataObject, criteria: MetadataObject): boolean {
  return Object.entries(criteria).every(
    ([key, value]) => Object.hasOwn(data, key) && isDeepStrictEqual(data[key], value),
  );
}
