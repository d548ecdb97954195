import type { EgressGuard } from '@app/integrations';
import type { DatabaseType } from '../shapes/source-shapes.js';
import type { StoredSource } from '../sources/stored-source.js';
import { PostgresSession } from './postgres/postgres-session.js';
import type { ReadSession } from './read-session.js';
import { SESSION_LIMITS, type SessionLimits } from './session-limits.js';

type Open = (
  source: StoredSource,
  guard: EgressGuard,
  limits: SessionLimits,
  signal: AbortSignal,
) => Promise<ReadSession>;

const OPENERS: Record<DatabaseType, Open> = {
  postgres: (...given) => PostgresSession.open(...given),
  // Its driver takes some megabytes of each process: for those that meet such a source.
  mysql: async (...given) => (await import('./mysql/mysql-session.js')).MysqlSession.open(...given),
};

/** A connection to somebody's database. @throws SourceFailure; the signal's reason */
export function openSession(
  source: StoredSource,
  guard: EgressGuard,
  signal: AbortSignal,
  limits: SessionLimits = SESSION_LIMITS,
): Promise<ReadSession> {
  return OPENERS[source.type](source, guard, limits, signal);
}
