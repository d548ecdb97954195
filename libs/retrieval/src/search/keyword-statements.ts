import { CLASS_COUNTS, RANK_SCALE } from '../chunk-index/terms-vector.js';
import { K1, idf, lengthNorm, saturation } from './bm25.js';
import { SAMPLE_RATE } from './candidates.js';
import { READABLE, joinReadable } from './scope.js';

/**
 * Reached only by questions all of whose words stand in most of a large corpus. Which chunks are left out is then
 * chance, as it nearly is which of them are best.
 */
const MOST_SCORED = 20_000;

/**
 * How chunks are found and kept apart from those that the viewer may not read:
 * - `scan`: all chunks of the readable documents, without the index;
 * - `set`: through the index, and of readable documents, which are listed once;
 * - `each`: through the index, and the document of each is looked at;
 * - `best`: through the index; of one's own chunks only the documents of the best are looked at. What one has in the
 *   trash then weighs words too, and there may be too few hits (`looked` is then all of `OVERLOOK` times the limit).
 */
export type Way = 'scan' | 'set' | 'each' | 'best';

/** How many more are looked at than wanted by the way `best`. */
export const OVERLOOK = 2;

/** Passages, and characters of each, that are looked at more closely: of the others none comes among the best ten. */
const [MOST_LOOKED, MOST_READ] = [50, 2500];

type Write = (term: number) => string;

/** How a word of the question is scored: what stands in its place in an index counts together. */
export interface TermShape {
  /** How many terms its query joins; `ts_rank` divides by it. */
  terms: number;
  /** How many beginnings of terms its query of compounds joins; 0: it has none. */
  prefixes: number;
  /** 0 to 1: of its share in scores. */
  weight: number;
  /** Whether it counts only when something has it. */
  optional: boolean;
}

/** A compound tells less of the word that is part of it, whose form it is found by may be another word's. */
const COMPOUND = 0.5;

const list = (termCount: number, write: Write) => Array.from({ length: termCount }, (_, term) => write(term));

/** A row per owner: its number, the query that chooses its chunks ($8), and more queries, from $`first` on. */
function units(names: readonly string[], first: number): string {
  const queries = names.map((_, i) => `$${first + i}::tsquery[]`);
  return `units AS (SELECT * FROM unnest(${['$7::int[]', '$8::tsquery[]', ...queries].join(', ')})
    AS unit (${['owner_id', 'wanted', ...names].join(', ')}))`;
}

/** Whether chunk `c` is the viewer's own, or readable: of what others have, everything that is not shared stays unread. */
const OWN_OR_READABLE = `(u.owner_id = $1 OR EXISTS (SELECT 1 FROM (SELECT) AS any_row ${joinReadable('c.index_id')}))`;

/** Neither pulled up into a join, whose order would be guessed: a hash of the documents is asked for each chunk. */
const IN_READABLE_SET = '(c.index_id IN (SELECT r.index_id FROM readable r)) IS TRUE';

const THROUGH_INDEX = 'units u JOIN chunks c ON c.terms @@ u.wanted';

const SOURCES: Record<Way, string> = {
  scan: 'readable r JOIN chunks c ON c.index_id = r.index_id JOIN units u ON u.owner_id = r.owner_id AND c.terms @@ u.wanted',
  set: `${THROUGH_INDEX} AND ${IN_READABLE_SET}`,
  each: `${THROUGH_INDEX} ${joinReadable('c.index_id')}`,
  best: `${THROUGH_INDEX} AND ${OWN_OR_READABLE}`,
};

const SAMPLED: Record<Exclude<Way, 'set'>, string> = {
  scan: 'readable r JOIN chunks c ON c.index_id = r.index_id JOIN units u ON u.owner_id = r.owner_id AND c.terms @@ u.wanted',
  each: `${THROUGH_INDEX} ${joinReadable('c.index_id')}`,
  best: `${THROUGH_INDEX} AND ${OWN_OR_READABLE}`,
};

export type SampleWay = keyof typeof SAMPLED;

function sampleOf(select: string, termCount: number, rate: number, way: SampleWay): string {
  const sampled = [...(rate % SAMPLE_RATE === 0 ? [`c.id % ${SAMPLE_RATE} = 0`] : []), `c.id % ${rate} = 0`];
  return `
    WITH ${way === 'scan' ? `${READABLE}, ` : ''}${units(
      list(termCount, (i) => `term${i}`),
      9,
    )}
    SELECT ${select}
    FROM ${SAMPLED[way]} ${way === 'best' ? 'AND' : 'WHERE'} ${sampled.join(' AND ')}`;
}

/** After the scope's: $7 owners, $8 any term, then each term. Answers `SampleGroup`s. */
export function sampleStatement(termCount: number, rate: number, way: SampleWay): string {
  const mask = list(termCount, (i) => `CASE WHEN c.terms @@ u.term${i} THEN '1' ELSE '0' END`).join(' || ');
  return `${sampleOf(`${mask} AS mask, count(*)::int AS count`, termCount, rate, way)} GROUP BY mask`;
}

/** With the same parameters. Answers one row: `counts`, in how many chunks of the sample each term is. */
export function countStatement(termCount: number, rate: number, way: SampleWay): string {
  const counts = list(termCount, (i) => `count(*) FILTER (WHERE c.terms @@ u.term${i})`);
  return sampleOf(`ARRAY[${counts.join(', ')}]::float8[] AS counts`, termCount, rate, way);
}

/** How often a query's terms occur in chunk `c` together. */
const counted = (query: string, joined: number) =>
  `ts_rank(${CLASS_COUNTS}, c.terms, u.${query}) * ${RANK_SCALE * joined}`;

/**
 * After the scope's: $7 owners, $8 wanted chunks, $9 chunks in scope, $10 their mean length, $11 limit, $12 how many
 * chunks have each term (null: as many as are seen here), then each term, then the compounds of those that have any.
 * Answers one row at least, whose id is null where nothing was found; the first with their texts.
 */
export function scoreStatement(shapes: readonly TermShape[], way: Way): string {
  const each = (write: Write) => list(shapes.length, write);
  const compounds = [...shapes.keys()].filter((term) => shapes[term]!.prefixes > 0);
  const names = [...each((i) => `term${i}`), ...compounds.map((i) => `compound${i}`)];
  const counts = each((i) => {
    const { terms, prefixes } = shapes[i]!;
    const exact = counted(`term${i}`, terms);
    const count = prefixes > 0 ? `greatest(${exact}, ${counted(`compound${i}`, prefixes * COMPOUND)})` : exact;
    return `${count} AS count${i}`;
  });
  const found = each((i) => `coalesce(($12::float8[])[${i + 1}], count(*) FILTER (WHERE count${i} > 0)) AS found${i}`);
  const weights = each((i) => {
    const weight = `${shapes[i]!.weight}::float8 * ${idf(`found${i}`, '$9::float8')}`;
    return `${shapes[i]!.optional ? `CASE WHEN found${i} > 0 THEN ${weight} ELSE 0 END` : weight} AS idf${i}`;
  });
  const score = each((i) => `idf${i} * (${saturation(`count${i}`, 'norm')})`).join(' + ');
  const best = `(${K1 + 1})::float8 * (${each((i) => `idf${i}`).join(' + ')})`;
  const checked = way === 'best';
  return `
    WITH ${way === 'scan' || way === 'set' ? `${READABLE}, ` : ''}${units(names, 13)},
    matched AS MATERIALIZED (
      SELECT c.id, c.index_id, ${lengthNorm('c.term_count', '$10::float8')} AS norm, ${counts.join(', ')}
      FROM ${SOURCES[way]} LIMIT ${MOST_SCORED}
    ),
    found AS MATERIALIZED (SELECT ${found.join(', ')} FROM matched),
    weights AS MATERIALIZED (SELECT ${weights.join(', ')}, ARRAY[${each((i) => `found${i}`).join(', ')}]::float8[] AS found FROM found),
    scored AS MATERIALIZED (
      SELECT m.id, m.index_id, ${score} AS score FROM matched m, weights
      ORDER BY score DESC, m.id LIMIT $11${checked ? ` * ${OVERLOOK}` : ''}
    ),
    readable_scored AS (
      SELECT s.id, s.score, row_number() OVER (ORDER BY s.score DESC, s.id) AS place FROM scored s ${checked ? joinReadable('s.index_id') : ''}
      ORDER BY s.score DESC, s.id LIMIT $11
    )
    SELECT s.id, s.score, ${best} AS best, found, (SELECT count(*)::int FROM scored) AS looked,
      left(t.text, ${MOST_READ}) AS text, t.context
    FROM weights LEFT JOIN readable_scored s ON true LEFT JOIN chunk_contents t ON t.chunk_id = s.id AND s.place <= ${MOST_LOOKED}
    ORDER BY s.score DESC, s.id`;
}
