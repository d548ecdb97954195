import { toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { McpFailure } from '../client/mcp-failure.js';
import type { TransportKind } from '../client/mcp-session.js';
import { StoredTools } from '../tools/stored-tools.js';
import type { ReadTools } from '../tools/tool-definition.js';

/** What a listing found out about a server. */
export interface Listing extends ReadTools {
  transport: TransportKind;
  protocolVersion: string;
  /** As the server told it. `instructions`: how its tools are to be used. */
  serverInfo: { name?: string; title?: string; version?: string; instructions?: string };
}

/** The server and the credentials that something was found out about. */
export interface Tried {
  id: number;
  version: number;
}

const FAILURES = 3;
const FAILURE_MINUTES = 10;

/**
 * What tests and calls found out, in one transaction each. Whatever was found out under other credentials, or another
 * address, is not written.
 */
@Injectable()
export class ServerOutcomes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tools: StoredTools,
  ) {}

  /**
   * The server works, and these are its tools. The first list of an address is accepted as it is.
   * @param isTest whether its owner asked, which sets the status
   * @returns whether it was written
   */
  async listed({ id, version }: Tried, listing: Listing, isTest: boolean): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ isFirst: boolean }[]>(
        `SELECT tools_listed_at IS NULL AS "isFirst" FROM mcp_servers WHERE id = $1 AND version = $2 FOR NO KEY UPDATE`,
        [id, version],
      );
      if (!row) return false;
      await this.tools.replace(id, listing.tools, row.isFirst, tx);
      await tx.query(
        `UPDATE mcp_servers SET tools_listed_at = now(), tools_note = $2, transport = $3, protocol_version = $4, server_info = $5,
           last_error = CASE WHEN status = 'ok' THEN '' ELSE last_error END WHERE id = $1`,
        [id, listing.note, listing.transport, listing.protocolVersion.slice(0, 50), toJsonText(listing.serverInfo)],
      );
      if (isTest)
        await tx.query(
          `UPDATE mcp_servers SET status = 'ok', last_ok_at = now(), last_error = '', failed_at = '{}', tools_stale = false, updated_at = now()
           WHERE id = $1`,
          [id],
        );
      return true;
    });
  }

  /** A test of the owner's failed. */
  async testFailed({ id, version }: Tried, failure: McpFailure): Promise<void> {
    await this.dataSource.query(
      `UPDATE mcp_servers SET status = $3, last_error = $4, updated_at = now() WHERE id = $1 AND version = $2`,
      [id, version, statusAfter(failure), failure.message],
    );
  }

  /** A call of the agent or of a workflow failed: the third within ten minutes takes the server out. */
  async callFailed({ id, version }: Tried, failure: McpFailure): Promise<void> {
    if (!failure.isOutage) return;
    await this.dataSource.query(
      `WITH recent AS (
         SELECT array_agg(at ORDER BY at) AS times, count(*) AS failures
         FROM (SELECT unnest(failed_at) AS at FROM mcp_servers WHERE id = $1 UNION ALL SELECT clock_timestamp()) f
         WHERE at > now() - $5 * interval '1 minute')
       UPDATE mcp_servers s SET failed_at = recent.times, last_error = $4,
         status = CASE WHEN s.status = 'ok' AND recent.failures >= $6 THEN $3 ELSE s.status END
       FROM recent WHERE s.id = $1 AND s.version = $2`,
      [id, version, statusAfter(failure), failure.message, FAILURE_MINUTES, FAILURES],
    );
  }

  /** A call went through: what went wrong before is over. Failures of the last minutes still count towards the third. */
  async callWorked({ id, version }: Tried): Promise<void> {
    await this.dataSource.query(
      `UPDATE mcp_servers SET last_error = '' WHERE id = $1 AND version = $2 AND status = 'ok' AND last_error <> ''`,
      [id, version],
    );
  }

  /** Whether the server said that its tools are others than those listed. */
  async markStale({ id, version }: Tried, isStale: boolean): Promise<void> {
    await this.dataSource.query('UPDATE mcp_servers SET tools_stale = $3 WHERE id = $1 AND version = $2', [
      id,
      version,
      isStale,
    ]);
  }
}

function statusAfter(failure: McpFailure): 'needs_reauth' | 'error' {
  return failure.kind === 'sign_in' ? 'needs_reauth' : 'error';
}
