import { NotFoundError, UnavailableError } from '@app/common';
import { type ArtifactSource, type CheckedQuery, type QueryOutcome, SourceQueries } from './source-queries.js';

/** For processes that reach no sources: pages without queries are published all the same. */
export class UnavailableQueries extends SourceQueries {
  describe(_ownerId: number, refs: readonly string[]): Promise<ArtifactSource[]> {
    if (refs.length === 0) return Promise.resolve([]);
    return Promise.reject(new NotFoundError('There is no such source.', { code: 'source_not_found' }));
  }

  revisions(): Promise<ReadonlyMap<string, string>> {
    return Promise.resolve(new Map());
  }

  run(): Promise<QueryOutcome[]> {
    return Promise.reject(unavailable());
  }

  check(): Promise<CheckedQuery[]> {
    return Promise.reject(unavailable());
  }

  bind(): never {
    throw unavailable();
  }
}

const unavailable = () => new UnavailableError('Sources cannot be reached here.', { code: 'sources_unavailable' });
