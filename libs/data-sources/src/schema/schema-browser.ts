import { Injectable } from '@nestjs/common';
import { postgresKind } from '../sessions/postgres/postgres-cells.js';
import type { ReadSession } from '../sessions/read-session.js';
import type { SourceCell, SourceColumnType } from '../shapes/result-shapes.js';
import { SourceSessions } from '../sessions/source-sessions.js';
import { StoredSources } from '../sources/stored-source.js';
import { MYSQL_ALL_SCHEMAS, MYSQL_COLUMNS, MYSQL_COUNT, MYSQL_TABLES } from './mysql-schema.js';
import { mysqlTypeNamed } from './mysql-type-names.js';
import { POSTGRES_TABLES } from './postgres-schema.js';

export interface SchemaColumn {
  name: string;
  type: SourceColumnType;
  /** As the database writes it. */
  nativeType: string;
  nullable: boolean;
}

export interface SchemaTable {
  schema: string;
  name: string;
  kind: 'table' | 'view';
  comment: string;
  columns: SchemaColumn[];
  /** Whether it has more of them. */
  columnsTruncated: boolean;
}

export interface SchemaQuery {
  /** One of the schemas; all that are shown without it. */
  schema?: string | undefined;
  /** A part of the name of a table. */
  search?: string | undefined;
  limit: number;
  offset: number;
}

export interface SchemaPage {
  count: number;
  items: SchemaTable[];
}

export const SCHEMA_COLUMNS = 300;
/** Wide enough for the columns of a page of tables. */
const BOUNDS = { rows: 100_000, cellCharacters: 200_000, resultCharacters: 20_000_000 };

/** What a database has to be asked about: tables and views with their columns, as far as its user may read them. */
@Injectable()
export class SchemaBrowser {
  constructor(
    private readonly sources: StoredSources,
    private readonly sessions: SourceSessions,
  ) {}

  /** By schema and name. @throws NotFoundError (`source_not_found`); SourceFailure; the signal's reason */
  async list(ownerId: number, id: number, query: SchemaQuery, signal?: AbortSignal): Promise<SchemaPage> {
    const source = await this.sources.get(ownerId, id);
    const { schema } = query;
    const shown = source.schemas.length === 0 ? null : source.schemas;
    const wanted = schema === undefined ? shown : [schema].filter((each) => shown === null || shown.includes(each));
    if (wanted?.length === 0) return { count: 0, items: [] };
    return this.sessions.withSession(ownerId, source, signal, (session) =>
      source.type === 'postgres' ? listPostgres(session, wanted, query) : listMysql(session, wanted, query),
    );
  }
}

async function listPostgres(session: ReadSession, schemas: string[] | null, query: SchemaQuery): Promise<SchemaPage> {
  const { search = '', limit, offset } = query;
  const ask = async (most: number, from: number) => {
    const values = [schemas && JSON.stringify(schemas), search, most, from, SCHEMA_COLUMNS];
    return (await session.read({ text: POSTGRES_TABLES, values }, BOUNDS)).rows;
  };
  const rows = await ask(limit, offset);
  // The number of all stands beside each: without one of them there is none.
  const [counted] = rows.length > 0 || offset === 0 ? rows : await ask(1, 0);
  const items = rows.map((row) => toTable(row, ((row[4] ?? []) as SourceCell[][]).map(toPostgresColumn)));
  return { count: Number(counted?.[5] ?? 0), items };
}

function toPostgresColumn([name, type, nativeType, nullable]: SourceCell[]): SchemaColumn {
  return {
    name: String(name),
    type: postgresKind(Number(type)).type,
    nativeType: String(nativeType),
    nullable: nullable === true,
  };
}

async function listMysql(
  session: ReadSession,
  schemas: string[] | null,
  { search = '', limit, offset }: SchemaQuery,
): Promise<SchemaPage> {
  const rows = async (text: string, values: (string | number)[] = []) =>
    (await session.read({ text, values }, BOUNDS)).rows;
  const shown = JSON.stringify(schemas ?? (await rows(MYSQL_ALL_SCHEMAS)).flat());
  const [counted] = await rows(MYSQL_COUNT, [shown, search, search]);
  const tables = await rows(MYSQL_TABLES, [shown, search, search, limit, offset]);
  const names = tables.map(([schema, name]) => [schema, name]);
  const columns = tables.length === 0 ? [] : await rows(MYSQL_COLUMNS, [JSON.stringify(names), SCHEMA_COLUMNS + 1]);
  const byTable = Map.groupBy(columns, ([schema, name]) => JSON.stringify([schema, name]));
  return {
    count: Number(counted?.[0] ?? 0),
    items: tables.map((table) => {
      const own = byTable.get(JSON.stringify([table[0], table[1]])) ?? [];
      return toTable(table, own.map(toMysqlColumn));
    }),
  };
}

function toMysqlColumn([, , name, type, nativeType, nullable]: SourceCell[]): SchemaColumn {
  return {
    name: String(name),
    type: mysqlTypeNamed(String(type)),
    nativeType: String(nativeType),
    nullable: nullable === 1,
  };
}

function toTable([schema, name, kind, comment]: SourceCell[], columns: SchemaColumn[]): SchemaTable {
  return {
    schema: String(schema),
    name: String(name),
    kind: kind === 'view' ? 'view' : 'table',
    comment: String(comment),
    columns: columns.slice(0, SCHEMA_COLUMNS),
    columnsTruncated: columns.length > SCHEMA_COLUMNS,
  };
}
