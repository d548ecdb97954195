import { eachReadable, eachShared, joinReadable } from './scope.js';

/**
 * So many by the signs alone hold practically all of those that are compared in the end, even among 500,000. The next
 * step knows more of them and reads nothing more.
 */
const POOL = 2000;

const weight = (bits: string) => `(bit_count(${bits} & $9::varbit) + 2 * bit_count(${bits} & $10::varbit))`;
const DIFFERS = '(p.bits # $8::varbit)';

/**
 * How far a passage is from the question, by its signs and by which of its components are large; only the order counts.
 * $9 and $10 are `componentWeights`. With the weight w of each component of the question, and d where signs differ: the
 * sum of w over d, over d among the large, and over the large, times what makes of them an estimate of the angle when
 * a large component is 1.51 and another 0.45 (in units of what is usual). Of a passage that was indexed before
 * magnitudes were kept the signs alone tell, on the same scale.
 */
const WEIGHED = `6 * ${weight(DIFFERS)}
  + coalesce(14 * ${weight(`(${DIFFERS} & p.magnitudes)`)} - 7 * ${weight('p.magnitudes')}, 0)`;

/**
 * A vector of another length has no distance: the same name may by now stand for another encoder. Only the place of a
 * row goes through the sort: rows with their bits would take as long again.
 */
const pool = (from: string) => `(
  SELECT b.ctid AS place,
    CASE WHEN length(b.bits) = length($8::varbit) THEN bit_count(b.bits # $8::varbit) END AS distance
  FROM ${from} ORDER BY distance NULLS LAST LIMIT ${POOL})`;

const weighed = (limit: string) => `
  SELECT p.chunk_id, p.index_id, ${WEIGHED} AS distance FROM chunk_sign_bits p
  WHERE p.ctid = ANY (ARRAY(SELECT place FROM pool WHERE distance IS NOT NULL))
  ORDER BY distance LIMIT ${limit}`;

/** Without the fence (OFFSET 0), each vector would be joined with its document, not each document with its vectors. */
const inDocuments = (documents: string) =>
  pool(`(SELECT index_id FROM (${documents}) AS readable OFFSET 0) AS readable
    JOIN chunk_sign_bits b USING (index_id)`);

const INDEX_ID = 'i.id AS index_id';
const OF_ENCODER = 'AND i.embedding_model = $7';

/** The vectors of those that are compared exactly, of which there are `near`. */
const vectorsOf = (near: string, more = '') =>
  `SELECT n.chunk_id AS id, v.vector${more} FROM ${near} n JOIN chunk_vectors v USING (chunk_id)`;

/** After the scope's: $7 encoder, $8 sign bits, $9 and $10 weights, $11 how many. For any scope. */
export const NEAREST = `
  WITH pool AS ${inDocuments(eachReadable(INDEX_ID, OF_ENCODER))}, near AS (${weighed('$11')})
  ${vectorsOf('near')}`;

/** How many more are looked at than wanted, since some of what one has may lie in the trash. */
export const OVERLOOK = 2;

/**
 * The same for everything that a viewer may read: one's own vectors are found by their owner, and only those that are
 * near are joined with their documents. That saves half of the time, but when too much of what is near is not readable
 * there may be too few: then `looked` is all of `OVERLOOK` times $11.
 */
export const NEAREST_OF_ALL = `
  WITH pool AS (
    ${pool('chunk_sign_bits b WHERE b.owner_id = $1')}
    UNION ALL ${inDocuments(eachShared(INDEX_ID, OF_ENCODER))}
  ),
  weighed AS MATERIALIZED (${weighed(`$11 * ${OVERLOOK}`)}),
  near AS (
    SELECT w.chunk_id FROM weighed w ${joinReadable('w.index_id')} AND i.embedding_model = $7
    ORDER BY w.distance LIMIT $11
  )
  ${vectorsOf('near', ', (SELECT count(*)::int FROM weighed) AS looked')}`;

/**
 * The same through an index over everybody's vectors, by signs alone: $7 encoder, $8 sign bits, $9 how many. What the
 * viewer may not read is passed over.
 */
export const nearestByIndexStatement = (dimensions: number) => `
  WITH near AS (
    SELECT b.chunk_id FROM chunk_sign_bits b ${joinReadable('b.index_id')} AND i.embedding_model = $7
    WHERE length(b.bits) = ${dimensions}
    ORDER BY b.bits::bit(${dimensions}) <~> $8::bit(${dimensions}) LIMIT $9
  )
  ${vectorsOf('near')}`;

/** The vectors of some chunks, however far: $7 encoder, $8 sign bits, $9 chunks. */
export const WANTED = `
  SELECT v.chunk_id AS id, v.vector FROM chunk_vectors v JOIN chunk_sign_bits b USING (chunk_id) ${joinReadable('b.index_id')}
    AND i.embedding_model = $7
  WHERE v.chunk_id = ANY ($9::bigint[]) AND length(b.bits) = length($8::varbit)`;
