import { Injectable } from '@nestjs/common';
import { SourceFailure } from '../shapes/source-failure.js';
import { SourceSessions } from '../sessions/source-sessions.js';
import { DataSources } from '../sources/data-sources.js';
import { SourceOutcomes } from '../sources/source-outcomes.js';
import type { DataSourceRecord, SslMode } from '../shapes/source-shapes.js';
import { StoredSources } from '../sources/stored-source.js';
import { type FoundRights, readRights } from './source-rights.js';

/** How a test came out; never an exception for what is wrong with the database. */
export interface Probe {
  ok: boolean;
  /** In words; empty when it worked. */
  error: string;
  warnings: string[];
  /** Such as `PostgreSQL 17.2`; empty when it did not work. */
  version: string;
  latencyMs: number;
  /** As it stands after the test. */
  source: DataSourceRecord;
}

const ENCRYPTION: Record<SslMode, string[]> = {
  disable: ['Nothing is encrypted, neither the password nor the rows.'],
  require: ['The connection is encrypted, but nobody verifies with whom: "verify-full" does.'],
  'verify-full': [],
};

/** Tries whether a database can be read, and tells what its user may do beyond that. */
@Injectable()
export class SourceProbe {
  constructor(
    private readonly sources: DataSources,
    private readonly stored: StoredSources,
    private readonly sessions: SourceSessions,
    private readonly outcomes: SourceOutcomes,
  ) {}

  /** The outcome is kept. @throws NotFoundError (`source_not_found`); the signal's reason */
  async test(ownerId: number, id: number, signal?: AbortSignal): Promise<Probe> {
    const known = await this.sources.get(ownerId, id);
    const begun = performance.now();
    const outcome = await this.try(ownerId, known, signal).catch((error: unknown) => {
      if (error instanceof SourceFailure) return error;
      throw error;
    });
    const latencyMs = Math.round(performance.now() - begun);
    const isFailed = outcome instanceof SourceFailure;
    if (isFailed && outcome.code !== 'source_busy') await this.outcomes.failed(known, outcome);
    return {
      ok: !isFailed,
      error: isFailed ? outcome.message : '',
      warnings: isFailed ? [] : [...ENCRYPTION[known.sslMode], ...outcome.warnings],
      version: isFailed ? '' : outcome.version,
      latencyMs,
      source: await this.sources.get(ownerId, id),
    };
  }

  private async try(ownerId: number, { id, type }: DataSourceRecord, signal?: AbortSignal): Promise<FoundRights> {
    const source = await this.stored.get(ownerId, id);
    return this.sessions.withSession(ownerId, source, signal, (session) => readRights(session, type));
  }
}
