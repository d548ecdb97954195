import { SealingService, UnsealableError } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SourceFailure } from '../shapes/source-failure.js';
import { isStorable, sourceNotFound } from './data-sources.js';
import type { Destination } from './source-draft.js';

export const secretPlace = (id: number) => ({ table: 'data_sources', column: 'secret_sealed', row: id });

/** A source with everything that a connection to it needs. */
export interface StoredSource extends Destination {
  id: number;
  schemas: string[];
  revision: number;
  secret: string;
}

/** Sources as they are connected to: with their secrets opened. */
@Injectable()
export class StoredSources {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** The passwords of all of the owner's sources that can be opened. */
  async listSecrets(ownerId: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: number; sealed: Buffer | null }[]>(
      'SELECT id, secret_sealed AS sealed FROM data_sources WHERE owner_id = $1 AND secret_sealed IS NOT NULL',
      [ownerId],
    );
    return rows.flatMap(({ id, sealed }) => (sealed && this.sealing.openTextOrNull(sealed, secretPlace(id))) ?? []);
  }

  /** @throws NotFoundError for one that is not the owner's; SourceFailure when its secret cannot be opened */
  async get(ownerId: number, id: number): Promise<StoredSource> {
    if (!isStorable(id)) throw sourceNotFound();
    const [row] = await this.dataSource.query<(Omit<StoredSource, 'secret'> & { secretSealed: Buffer | null })[]>(
      `SELECT id, type, host, port, database, username, ssl_mode AS "sslMode", schemas, revision,
         secret_sealed AS "secretSealed"
       FROM data_sources WHERE id = $2 AND owner_id = $1`,
      [ownerId, id],
    );
    if (!row) throw sourceNotFound();
    const { secretSealed, ...source } = row;
    try {
      return { ...source, secret: secretSealed ? this.sealing.openText(secretSealed, secretPlace(id)) : '' };
    } catch (error) {
      if (!(error instanceof UnsealableError)) throw error;
      throw new SourceFailure(
        'source_unavailable',
        'The secret of the source cannot be opened. Enter it again.',
        error,
      );
    }
  }
}
