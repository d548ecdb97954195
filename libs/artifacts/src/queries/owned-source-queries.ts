import { InvalidRequestError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { bindParams, trialParams } from './bind-params.js';
import { failed } from './bound-query.js';
import { DatabaseQueries, type DatabaseQuery } from './database-queries.js';
import { FileQueries, type FileQuery } from './file-queries.js';
import type { NamedQuery, ParamValue } from './named-query.js';
import {
  type ArtifactSource,
  type AskedQuery,
  type CheckedQuery,
  type QueryOutcome,
  SourceQueries,
} from './source-queries.js';
import { parseSourceRef, sourceNotFound, type SourceRef } from './source-refs.js';

/** Over table files and connected databases (docs/contract/artifacts.md#queries). */
@Injectable()
export class OwnedSourceQueries extends SourceQueries {
  constructor(
    private readonly files: FileQueries,
    private readonly databases: DatabaseQueries,
  ) {
    super();
  }

  async describe(ownerId: number, refs: readonly string[]): Promise<ArtifactSource[]> {
    const parsed = refs.map((ref) => ({ ref, source: parseSourceRef(ref) }));
    const { uids, ids } = partsOf(parsed.map(({ source }) => source));
    const files = await this.files.find(ownerId, uids);
    const databases = await this.databases.describe(ownerId, ids);
    return parsed.map(({ ref, source }): ArtifactSource => {
      if (source.kind === 'database') {
        const { type, name } = databases.get(source.id)!;
        return { ref, type, name };
      }
      const file = files.get(source.uid);
      if (!file) throw sourceNotFound(ref);
      return { ref, type: 'file', name: file.filename };
    });
  }

  async revisions(ownerId: number, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const parsed = refs.map((ref) => ({ ref, source: parseSourceRef(ref) }));
    const { uids, ids } = partsOf(parsed.map(({ source }) => source));
    const files = await this.files.find(ownerId, uids);
    const databases = await this.databases.revisions(ownerId, ids);
    return new Map(
      parsed.flatMap(({ ref, source }): [string, string][] => {
        if (source.kind === 'file') {
          const file = files.get(source.uid);
          return file ? [[ref, file.databaseKey ?? 'not imported']] : [];
        }
        const revision = databases.get(source.id);
        return revision === undefined ? [] : [[ref, revision]];
      }),
    );
  }

  async run(ownerId: number, asked: readonly AskedQuery[], signal?: AbortSignal): Promise<QueryOutcome[]> {
    const files: (FileQuery & { at: number })[] = [];
    const databases: (DatabaseQuery & { at: number })[] = [];
    const outcomes: QueryOutcome[] = [];
    for (const [at, { query, params }] of asked.entries())
      try {
        const source = parseSourceRef(query.sourceRef);
        const values = this.bind(query, params);
        if (source.kind === 'file') files.push({ at, uid: source.uid, query, values });
        else databases.push({ at, id: source.id, query, values });
      } catch (error) {
        if (!(error instanceof InvalidRequestError)) throw error;
        outcomes[at] = failed(error.code, error.message);
      }
    const [atFiles, atDatabases] = await bothOf(
      this.files.run(ownerId, files, signal),
      this.databases.run(ownerId, databases, signal),
    );
    for (const [index, { at }] of files.entries()) outcomes[at] = atFiles[index]!;
    for (const [index, { at }] of databases.entries()) outcomes[at] = atDatabases[index]!;
    return outcomes;
  }

  async check(ownerId: number, queries: readonly NamedQuery[], signal?: AbortSignal): Promise<CheckedQuery[]> {
    await this.describe(ownerId, [...new Set(queries.map(({ sourceRef }) => sourceRef))]);
    const asked = queries.map((query) => ({ query, params: trialParams(query) }));
    const outcomes = await this.run(ownerId, asked, signal);
    const wrong: { name: string; code: string; message: string }[] = [];
    const checked = outcomes.flatMap((outcome, at): CheckedQuery[] => {
      const { name } = queries[at]!;
      if ('rows' in outcome) return [{ name, columns: outcome.columns, rowCount: outcome.rows.length }];
      wrong.push({ name, ...outcome.error });
      return [];
    });
    if (wrong.length === 0) return checked;
    throw new InvalidRequestError(
      wrong.map(({ name, message }) => `The query "${name}" does not work: ${message}`).join('\n'),
      { code: 'invalid_query', extra: { queries: wrong } },
    );
  }

  bind(query: NamedQuery, given: Readonly<Record<string, unknown>>): Record<string, ParamValue> {
    return bindParams(query, given);
  }
}

function partsOf(sources: readonly SourceRef[]): { uids: string[]; ids: number[] } {
  const uids = sources.flatMap((source) => (source.kind === 'file' ? [source.uid] : []));
  const ids = sources.flatMap((source) => (source.kind === 'database' ? [source.id] : []));
  return { uids: [...new Set(uids)], ids: [...new Set(ids)] };
}

/** Neither is left behind at work when the other one fails. */
async function bothOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
