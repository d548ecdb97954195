import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { joinPassages } from '../chunk-index/document-text.js';
import { growPassages, type Neighbour } from './grow-passages.js';
import { joinReadable, scopeParameters, type SearchScope, type Viewer } from './scope.js';
import type { SearchHit } from './search-hit.js';

/** Passages before and behind that are looked at. */
const REACH = 2;

/** What stands around the passages that were found: a passage is what was found, a reader needs where it stands. */
@Injectable()
export class Neighbours {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The text of each passage with that of its neighbours on the same page, by chunk id, all together of about so many
   * characters; the best passages grow first, none takes in what another one shows, and one that cannot grow is
   * missing. Read under the conditions of the search, so that nothing is shown that the viewer may not read any more.
   * @param hits best first
   * @param characters of all of them together, with what they had
   */
  async widen(
    viewer: Viewer,
    scope: SearchScope,
    hits: readonly SearchHit[],
    characters: number,
  ): Promise<Map<string, string>> {
    const room = characters - hits.reduce((sum, { text }) => sum + text.length, 0);
    if (room <= 0) return new Map();
    const rows = await this.dataSource.query<(Neighbour & { hitId: string })[]>(
      `SELECT c.id AS "hitId", n.id AS "chunkId", n.ordinal - c.ordinal AS distance,
         t.page, t.start_offset AS start, t.end_offset AS "end", t.text
       FROM chunks c ${joinReadable('c.index_id')}
         JOIN chunk_contents own ON own.chunk_id = c.id
         JOIN chunks n ON n.index_id = c.index_id AND n.ordinal BETWEEN c.ordinal - $8 AND c.ordinal + $8
         JOIN chunk_contents t ON t.chunk_id = n.id AND t.page = own.page
       WHERE c.id = ANY ($7::bigint[])`,
      [...scopeParameters(viewer, scope), hits.map(({ chunkId }) => chunkId), REACH],
    );
    const byHit = new Map<string, Neighbour[]>();
    for (const row of rows) byHit.set(row.hitId, [...(byHit.get(row.hitId) ?? []), row]);
    const grown = growPassages(
      hits.map(({ chunkId }) => chunkId),
      byHit,
      room,
    );
    return new Map([...grown].map(([chunkId, passages]) => [chunkId, joinPassages(passages)]));
  }
}
