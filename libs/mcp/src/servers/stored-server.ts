import { NotFoundError } from '@app/common';
import { SealingService, UnsealableError } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { McpFailure } from '../client/mcp-failure.js';
import type { PooledServer } from '../client/session-pool.js';

interface SealedServer extends Omit<PooledServer, 'secret'> {
  slug: string;
  label: string;
  lastError: string;
  secretSealed: Buffer | null;
}

/** A server of the database with everything that a connection to it needs. */
export interface StoredServer extends PooledServer {
  readonly slug: string;
  readonly label: string;
  /** Of the last call or test; empty where it worked. */
  readonly lastError: string;
}

export interface OutdatedServer extends StoredServer {
  /** The server said so; otherwise its list is only old. */
  readonly isStale: boolean;
}

export const secretPlace = (id: number) => ({ table: 'mcp_servers', column: 'secret_sealed', row: id });

const COLUMNS = `s.id, s.user_id AS "userId", s.slug, s.label, s.url, s.auth_type AS "authType",
  s.auth_header_name AS "authHeaderName", s.secret_sealed AS "secretSealed", s.version, s.transport, s.last_error AS "lastError"`;

/** Servers as they are connected to: with their secrets opened. */
@Injectable()
export class StoredServers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealing: SealingService,
  ) {}

  /** @throws NotFoundError for one that is not the user's; McpFailure when its secret cannot be opened */
  async get(userId: number, id: number): Promise<StoredServer> {
    const [row] = await this.dataSource.query<SealedServer[]>(
      `SELECT ${COLUMNS} FROM mcp_servers s WHERE s.id = $2 AND s.user_id = $1`,
      [userId, id],
    );
    if (!row) throw serverNotFound();
    return this.open(row);
  }

  /** Those of the user whose tools should be listed anew: the server said so, or nobody asked for `minutes`. */
  async listOutdated(userId: number, minutes: number): Promise<OutdatedServer[]> {
    const rows = await this.dataSource.query<(SealedServer & { isStale: boolean })[]>(
      `SELECT ${COLUMNS}, s.tools_stale AS "isStale" FROM mcp_servers s
       WHERE s.user_id = $1 AND s.enabled AND s.status = 'ok'
         AND (s.tools_stale OR s.tools_listed_at < now() - $2 * interval '1 minute')`,
      [userId, minutes],
    );
    return rows.flatMap((row) => {
      try {
        return [{ ...this.open(row), isStale: row.isStale }];
      } catch (error) {
        if (!(error instanceof McpFailure)) throw error;
        return [];
      }
    });
  }

  /** The secrets of all of the user's servers that can be opened. */
  async listSecrets(userId: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: number; sealed: Buffer | null }[]>(
      'SELECT id, secret_sealed AS sealed FROM mcp_servers WHERE user_id = $1 AND secret_sealed IS NOT NULL',
      [userId],
    );
    return rows.flatMap(({ id, sealed }) => (sealed && this.sealing.openTextOrNull(sealed, secretPlace(id))) ?? []);
  }

  private open({ secretSealed, ...server }: SealedServer): StoredServer {
    try {
      const secret = secretSealed ? this.sealing.openText(secretSealed, secretPlace(server.id)) : null;
      return { ...server, secret };
    } catch (error) {
      if (!(error instanceof UnsealableError)) throw error;
      throw new McpFailure('refused', 'The stored secret cannot be opened any more. Enter it again.', { cause: error });
    }
  }
}

export function serverNotFound(): NotFoundError {
  return new NotFoundError('Server not found.', { code: 'mcp_server_not_found' });
}
