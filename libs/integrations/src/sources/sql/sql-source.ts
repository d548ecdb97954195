import { z } from 'zod';
import { defineSource } from '../source-definition.js';
import { PostgresConnector } from './postgres-connector.js';

const config = z.strictObject({
  host: z.string().regex(/^[A-Za-z0-9.:[\]_-]{1,253}$/, 'This is no host.'),
  port: z.int().min(1).max(65_535).default(5432),
  database: z.string().min(1).max(63),
  user: z.string().min(1).max(63),
  /** `require` encrypts without knowing to whom: like `disable`, only for hosts that the deployment lists. */
  ssl: z.enum(['verify', 'require', 'disable']).default('verify'),
  /** `table` or `schema.table`. */
  tables: z.array(z.string().min(1).max(127)).max(100).default([]),
  queries: z
    .array(z.strictObject({ name: z.string().min(1).max(100), sql: z.string().min(1).max(20_000) }))
    .max(100)
    .default([])
    .refine((queries) => new Set(queries.map(({ name }) => name)).size === queries.length, 'The names must differ.'),
});

export type SqlConfig = z.output<typeof config>;

/** Tables and named queries of a Postgres database, each of which becomes a CSV document. */
export const sqlSource = defineSource({
  type: 'sql',
  batchType: 'sql',
  config,
  secret: 'the password',
  destinationOf: ({ host, port, database, user, ssl }) => JSON.stringify([host, port, database, user, ssl]),
  connect: (settings, secret, { guard, maxRows }) => new PostgresConnector(settings, secret, maxRows, guard),
});
