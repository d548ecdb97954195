import { ErasureRegistry, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Requests that the account made; those for its documents go with the documents. */
@Injectable()
export class OwnedAccessRequests implements OwnedData, OnModuleInit {
  readonly name = 'access_requests';
  readonly tables = ['access_requests'];

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM access_requests WHERE user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM access_requests WHERE user_id = $1', [userId]);
    return count;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT document_uid, status, reason, created_at, updated_at FROM access_requests WHERE user_id = $1 ORDER BY id`,
      [userId],
    );
    if (rows.length > 0) yield { path: 'access-requests.json', content: JSON.stringify(rows, null, 2) };
  }
}

/**
 * Shares in external drives: of the account's documents they are forgotten, since its credentials for the drive go too;
 * those that were made for the account are still to be taken back there, and keep no more than what that needs.
 */
@Injectable()
export class OwnedShareMirrors implements OwnedData, OnModuleInit {
  readonly name = 'share_mirrors';
  readonly tables = ['document_share_mirrors'];
  /** Its shares are gone by then, which has made them due. */
  readonly order = 60;

  constructor(
    private readonly registry: ErasureRegistry,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM document_share_mirrors WHERE owner_id = $1 OR user_id = $1',
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const [, owned] = await tx.query<[unknown, number]>('DELETE FROM document_share_mirrors WHERE owner_id = $1', [
      userId,
    ]);
    const [, made] = await tx.query<[unknown, number]>(
      `UPDATE document_share_mirrors SET user_id = NULL, email = '', wanted = false, version = version + 1, next_attempt_at = now()
       WHERE user_id = $1`,
      [userId],
    );
    return owned + made;
  }
}
