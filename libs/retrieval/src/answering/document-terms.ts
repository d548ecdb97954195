import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lexemeLiteral } from '../chunk-index/terms-vector.js';
import { eachReadable, scopeParameters, type Viewer } from '../search/scope.js';

/** By document, how much of it has each term: passages with the term over all of its passages. */
export type TermShares = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A name in another language's stem, or with its ending, begins the same. */
const ENDING = 2;
const SHORTEST_PREFIX = 4;

/** What documents know that their passages at hand do not say: a report names its company on some pages only. */
@Injectable()
export class DocumentTerms {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Of documents that the viewer may read, and no others.
   * @param terms as `analyse` gives them; few
   */
  async shares(viewer: Viewer, uids: readonly string[], terms: readonly string[]): Promise<TermShares> {
    const shares = new Map<string, Map<string, number>>();
    if (uids.length === 0 || terms.length === 0) return shares;
    const owners = await this.dataSource.query<{ owner_id: number }[]>(
      `SELECT DISTINCT owner_id FROM (${eachReadable('i.owner_id')}) AS owner`,
      scopeParameters(viewer, { uids }),
    );
    const wanted = owners.flatMap(({ owner_id }) =>
      terms.map((term) => [owner_id, term, prefixOf(owner_id, term)] as const),
    );
    const rows = await this.dataSource.query<{ uid: string; term: string; share: number }[]>(
      `WITH readable AS MATERIALIZED (${eachReadable('i.id AS index_id, i.owner_id, i.chunk_count, d.uid')})
       SELECT r.uid, w.term, count(*)::float8 / greatest(r.chunk_count, 1) AS share
       FROM readable r
       JOIN unnest($7::int[], $8::text[], $9::tsquery[]) AS w (owner_id, term, query) ON w.owner_id = r.owner_id
       JOIN chunks c ON c.index_id = r.index_id AND c.terms @@ w.query
       GROUP BY r.uid, w.term, r.chunk_count`,
      [...scopeParameters(viewer, { uids }), ...[0, 1, 2].map((at) => wanted.map((each) => each[at]))],
    );
    for (const { uid, term, share } of rows)
      shares.set(uid, (shares.get(uid) ?? new Map<string, number>()).set(term, share));
    return shares;
  }
}

/** A short word is matched whole: `li` begins too many others. */
function prefixOf(owner: number, term: string): string {
  if (/\d/.test(term) || term.length <= SHORTEST_PREFIX) return lexemeLiteral(owner, term);
  return `${lexemeLiteral(owner, term.slice(0, Math.max(SHORTEST_PREFIX, term.length - ENDING)))}:*`;
}
