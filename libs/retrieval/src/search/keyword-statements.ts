import { CLASS_COUNTS, RANK_SCALE } from '../chunk-index/terms-vector.js';
import { K1, idf, lengthNorm, saturation } from './bm25.js';
import { SAMPLE_RATE } from './candidates.js';
import { READABLE, joinReadable } from './scope.js';

/**
 * Reached only by questions all of whose words stand in most of a large corpus. Which chunks are left out is then
 * chance, as it nearly is which of them are best.
 */
const MOST_SCORED = 20_000;

type Write = (term: number) => string;

const list = (termCount: number, write: Write) => Array.from({ length: termCount }, (_, term) => write(term));

/** A row per owner: its number, the query that chooses its chunks ($8), and a query for each term, from $`first` on. */
function units(termCount: number, first: number): string {
  return `units AS (SELECT * FROM unnest($7::int[], $8::tsquery[], ${list(termCount, (i) => `$${first + i}::tsquery[]`).join(', ')})
    AS unit (owner_id, wanted, ${list(termCount, (i) => `term${i}`).join(', ')}))`;
}

/** After the scope's: $7 owners, $8 any term, then each term. Answers `SampleGroup`s. */
export function sampleStatement(termCount: number, rate: number): string {
  const mask = list(termCount, (i) => `CASE WHEN c.terms @@ u.term${i} THEN ${1 << i} ELSE 0 END`).join(' + ');
  return `
    WITH ${units(termCount, 9)}
    SELECT ${mask} AS mask, count(*)::int AS count
    FROM units u JOIN chunks c ON c.terms @@ u.wanted AND c.id % ${SAMPLE_RATE} = 0 AND c.id % ${rate} = 0 ${joinReadable('c.index_id')}
    GROUP BY mask`;
}

/**
 * After the scope's: $7 owners, $8 wanted chunks, $9 chunks in scope, $10 their mean length, $11 limit, $12 how many
 * chunks have each term (null: as many as are seen here), then each term.
 * @param scan reads all chunks of the scope instead of going through the index
 */
export function scoreStatement(termCount: number, scan: boolean): string {
  const each = (write: Write) => list(termCount, write);
  const source = scan
    ? 'readable r JOIN chunks c ON c.index_id = r.index_id JOIN units u ON u.owner_id = r.owner_id AND c.terms @@ u.wanted'
    : `units u JOIN chunks c ON c.terms @@ u.wanted ${joinReadable('c.index_id')}`;
  const counts = each((i) => `ts_rank(${CLASS_COUNTS}, c.terms, u.term${i}) * ${RANK_SCALE} AS count${i}`);
  const found = each((i) => `coalesce(($12::float8[])[${i + 1}], count(*) FILTER (WHERE count${i} > 0)) AS found${i}`);
  const score = each((i) => `idf${i} * (${saturation(`count${i}`, 'norm')})`).join(' + ');
  const best = `(${K1 + 1})::float8 * (${each((i) => `idf${i}`).join(' + ')})`;
  return `
    WITH ${scan ? `${READABLE}, ` : ''}${units(termCount, 13)},
    matched AS MATERIALIZED (
      SELECT c.id, ${lengthNorm('c.term_count', '$10::float8')} AS norm, ${counts.join(', ')} FROM ${source} LIMIT ${MOST_SCORED}
    ),
    found AS MATERIALIZED (SELECT ${found.join(', ')} FROM matched),
    weights AS MATERIALIZED (SELECT ${each((i) => `${idf(`found${i}`, '$9::float8')} AS idf${i}`).join(', ')} FROM found),
    scored AS (SELECT m.id, ${score} AS score FROM matched m, weights ORDER BY 2 DESC, 1 LIMIT $11)
    SELECT id, score, ${best} AS best FROM scored, weights ORDER BY score DESC, id`;
}
