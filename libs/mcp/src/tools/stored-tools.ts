import { ConflictError, type Page, type PageRequest, toJsonText } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ToolAnnotations, ToolDefinition } from './tool-definition.js';

/** `on`: offered. `new`, `changed`: waits for its owner. `off`: switched off by its owner. */
export const TOOL_STATES = ['on', 'new', 'changed', 'off'] as const;
export type ToolState = (typeof TOOL_STATES)[number];

export interface ToolRow {
  name: string;
  offeredName: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | null;
  annotations: ToolAnnotations;
  definitionHash: string;
  /** What was accepted before the server changed it. */
  acceptedDefinition: Record<string, unknown> | null;
  enabled: boolean;
  state: ToolState;
  changedAt: Date;
}

/** Which tools of a server are meant: those named, or all. */
export type ToolChoice = { all: true } | { names: readonly string[] };

export const IS_OFFERED = 't.enabled AND t.accepted_hash = t.definition_hash';
const STATE = `CASE WHEN NOT t.enabled THEN 'off' WHEN t.accepted_hash IS NULL THEN 'new'
  WHEN t.accepted_hash <> t.definition_hash THEN 'changed' ELSE 'on' END`;
const CHOSEN = '($2::text[] IS NULL OR t.name = ANY($2))';

/** What the servers listed, and what their owners think of it. */
@Injectable()
export class StoredTools {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Writes a whole list over the one before, in the caller's transaction.
   * @param isAccepted whether its owner takes all of it as it is; otherwise what is new or has changed is off
   */
  async replace(
    serverId: number,
    tools: readonly ToolDefinition[],
    isAccepted: boolean,
    tx: EntityManager,
  ): Promise<void> {
    const names = tools.map(({ name }) => name);
    await tx.query('DELETE FROM mcp_tools WHERE server_id = $1 AND NOT name = ANY($2)', [serverId, names]);
    await tx.query(
      `INSERT INTO mcp_tools AS t (server_id, name, offered_name, title, description, input_schema, output_schema,
         annotations, definition_hash, accepted_hash, position)
       SELECT $1, l.name, l."offeredName", l.title, l.description, l."inputSchema", NULLIF(l."outputSchema", 'null'),
         l.annotations, l.hash, CASE WHEN $3 THEN l.hash END, l.position
       FROM jsonb_to_recordset($2::jsonb) AS l(name text, "offeredName" text, title text, description text,
         "inputSchema" jsonb, "outputSchema" jsonb, annotations jsonb, hash text, position integer)
       ON CONFLICT (server_id, name) DO UPDATE SET
         offered_name = excluded.offered_name, title = excluded.title, description = excluded.description,
         input_schema = excluded.input_schema, output_schema = excluded.output_schema,
         annotations = excluded.annotations, definition_hash = excluded.definition_hash, position = excluded.position,
         accepted_hash = CASE WHEN $3 THEN excluded.definition_hash ELSE t.accepted_hash END,
         accepted_definition = CASE
           WHEN $3 OR t.accepted_hash = excluded.definition_hash THEN NULL
           WHEN t.accepted_hash = t.definition_hash THEN jsonb_build_object('title', t.title,
             'description', t.description, 'input_schema', t.input_schema, 'output_schema', t.output_schema,
             'annotations', t.annotations)
           ELSE t.accepted_definition END,
         changed_at = CASE WHEN t.definition_hash = excluded.definition_hash THEN t.changed_at ELSE now() END
       WHERE $3 OR (t.definition_hash, t.offered_name, t.position)
         <> (excluded.definition_hash, excluded.offered_name, excluded.position)`,
      [serverId, toJsonText(tools.map((tool, position) => ({ ...tool, position }))), isAccepted],
    );
  }

  /** In the server's order. @param search part of name, title or description, whatever its case */
  async list(
    serverId: number,
    { search, state }: { search: string | null; state: ToolState | null },
    at: PageRequest,
  ): Promise<Page<ToolRow>> {
    const from = `FROM mcp_tools t WHERE t.server_id = $1 AND ($2::text IS NULL OR ${STATE} = $2)
      AND ($3::text IS NULL OR position(lower($3) IN lower(t.name || ' ' || t.title || ' ' || t.description)) > 0)`;
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(`SELECT count(*)::int AS count ${from}`, [
      serverId,
      state,
      search,
    ]);
    const items = await this.dataSource.query<ToolRow[]>(
      `SELECT t.name, t.offered_name AS "offeredName", t.title, t.description, t.input_schema AS "inputSchema",
         t.output_schema AS "outputSchema", t.annotations, t.definition_hash AS "definitionHash",
         t.accepted_definition AS "acceptedDefinition", t.enabled, ${STATE} AS state, t.changed_at AS "changedAt" ${from}
       ORDER BY t.position, t.name LIMIT $4 OFFSET $5`,
      [serverId, state, search, at.pageSize, (at.page - 1) * at.pageSize],
    );
    return { count, items };
  }

  /**
   * Lets the tools be offered as they are now.
   * @param hashes what the owner saw, by name; a tool that is something else by now is not accepted
   * @returns how many were waiting
   * @throws ConflictError (`mcp_tool_changed`): then none was accepted
   */
  async accept(
    serverId: number,
    choice: ToolChoice,
    hashes: Readonly<Record<string, string>>,
    tx: EntityManager,
  ): Promise<number> {
    const rows = await tx.query<{ name: string; hash: string }[]>(
      `SELECT t.name, t.definition_hash AS hash FROM mcp_tools t WHERE t.server_id = $1 AND ${CHOSEN} FOR UPDATE`,
      [serverId, namesOf(choice)],
    );
    const other = rows.find(({ name, hash }) => Object.hasOwn(hashes, name) && hashes[name] !== hash);
    if (other)
      throw new ConflictError(`The server has changed the tool "${other.name}" again. Look at it once more.`, {
        code: 'mcp_tool_changed',
      });
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE mcp_tools t SET accepted_hash = definition_hash, accepted_definition = NULL
       WHERE t.server_id = $1 AND ${CHOSEN} AND accepted_hash IS DISTINCT FROM definition_hash`,
      [serverId, namesOf(choice)],
    );
    return count;
  }

  /** @returns how many were switched */
  async enable(serverId: number, choice: ToolChoice, enabled: boolean, tx: EntityManager): Promise<number> {
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE mcp_tools t SET enabled = $3 WHERE t.server_id = $1 AND ${CHOSEN} AND t.enabled <> $3`,
      [serverId, namesOf(choice), enabled],
    );
    return count;
  }
}

function namesOf(choice: ToolChoice): readonly string[] | null {
  return 'all' in choice ? null : choice.names;
}
