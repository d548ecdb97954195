import { ownDocuments, sharedDocuments } from '@app/access';
import { nameKey } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { joinReadable, scopeParameters, type SearchScope, type Viewer } from './scope.js';

/** Nobody types a longer name; a whole question is no name. */
const MAX_NAME = 100;
/** Of Postgres: below it the index finds nothing. */
const LEAST_SIMILARITY = 0.6;

export interface NameHit {
  uid: string;
  /** The document's first passage. */
  chunkId: string;
  /** How much of what was typed stands in the name: 0.6 to 1. */
  similarity: number;
}

/**
 * Documents by their file names: the beginning of a word is enough, and a letter may be wrong (trigrams of pg_trgm).
 * An index whose first column is the owner finds one's own names; shared documents are few and compared one by one.
 * To compare 50,000 names with a long question takes 300 ms, which Postgres takes for cheap: hence `names_by_index`.
 */
@Injectable()
export class NameSearch {
  constructor(private readonly dataSource: DataSource) {}

  /** The most similar names, best first; none for what cannot be a name. */
  async search(viewer: Viewer, scope: SearchScope, query: string, limit: number): Promise<NameHit[]> {
    const name = nameOf(query);
    if (name === null) return [];
    const rows = await this.dataSource.query<NameHit[]>(
      `WITH named AS (
         SELECT d.uid, word_similarity($7, d.name_key) AS similarity
         FROM ${ownDocuments('$1')} AND d.name_key %> $7 AND names_by_index(d.name_key)
         UNION ALL
         SELECT d.uid, word_similarity($7, d.name_key)
         FROM ${sharedDocuments('$1')} AND word_similarity($7, d.name_key) >= ${LEAST_SIMILARITY}
       )
       SELECT n.uid, c.id AS "chunkId", n.similarity FROM named n
       JOIN document_indexes known ON known.document_uid = n.uid ${joinReadable('known.id')}
       JOIN chunks c ON c.index_id = i.id AND c.ordinal = 0
       ORDER BY n.similarity DESC, n.uid LIMIT $8`,
      [...scopeParameters(viewer, scope), name, limit],
    );
    return rows;
  }
}

/** Null for what is too long for a name, or has no letter or digit. */
function nameOf(query: string): string | null {
  const name = query.length <= MAX_NAME ? nameKey(query) : '';
  return name === '' ? null : name;
}
