import type { Claim } from './claim.js';
import type { Assignments, Param, WorkRules } from './define-work.js';
import { leaseOf } from './lease-of.js';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Of the time at which the statement runs: a long transaction must not write a lease that is over already. */
const NOW = 'clock_timestamp()';
/** SQL: there is something to do on the row `alias`, and nobody is at it. */
export const isDue = (alias: string) =>
  `${alias}.next_attempt_at <= now() AND (${alias}.leased_until IS NULL OR ${alias}.leased_until <= now())`;
/** Why a try ended whose worker is gone; a sentence for people, and the mark of suspects. */
export const WORKER_LOST = 'The worker stopped unexpectedly.';
/** Behind the lease owner of a suspect that has its process to itself. */
const ALONE = '/alone';

const isFree = (definition: WorkRules) => {
  const { leasedUntil } = leaseOf(definition);
  return `(w.${leasedUntil} IS NULL OR w.${leasedUntil} <= now())`;
};
const isOpen = (definition: WorkRules) => `${leaseOf(definition).dueAt} IS NOT NULL${andWhen(definition)}`;

function statement(write: (param: Param) => string): Statement {
  const values: unknown[] = [];
  const text = write((value) => `$${values.push(value)}`);
  return { text, values };
}

const keyText = ({ key }: WorkRules, row: string) =>
  `ARRAY[${Object.keys(key)
    .map((column) => `${row}.${column}::text`)
    .join(', ')}]`;

function whereKey({ key }: WorkRules, values: readonly string[], param: Param): string {
  return Object.entries(key)
    .map(([column, type], at) => `w.${column} = ${param(values[at])}::${type}`)
    .join(' AND ');
}

const whereHeld = ({ definition, key, fence, leaseOwner }: Claim, param: Param) =>
  `${whereKey(definition, key, param)} AND w.${leaseOf(definition).fence} = ${param(fence)}
     AND w.lease_owner = ${param(leaseOwner)} AND ${isOpen(definition)}`;

const andWhen = ({ when }: WorkRules) => (when ? ` AND ${when}` : '');
const leaseFor = (definition: WorkRules, leaseSeconds: number, param: Param) =>
  `${leaseOf(definition).leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)}`;
const seconds = (count: number, param: Param) => `${param(count)} * interval '1 second'`;
const list = (...assignments: (string | undefined)[]) => assignments.filter(Boolean).join(', ');

/** Takes the row, or the first one of the lane, if it is due: no row comes back otherwise. */
export function claimStatement(
  definition: WorkRules,
  key: readonly string[],
  { leaseOwner, leaseSeconds, mayBeLost }: { leaseOwner: string; leaseSeconds: number; mayBeLost: boolean },
): Statement {
  const columns = Object.keys(definition.key);
  const { aloneAfterLoss, lane } = definition;
  const { fence, attempts, lastError, dueAt } = leaseOf(definition);
  const where = (param: Param) =>
    `${lane ? `w.${lane.column} = ${param(key[0])}::${lane.type}` : whereKey(definition, key, param)}
       AND ${dueAt} <= now() AND ${isFree(definition)}${andWhen(definition)}${mayBeLost ? '' : ' AND w.lease_owner IS NULL'}`;
  return statement(
    (param) => `WITH due AS (
      SELECT ${columns.map((column) => `w.${column}`).join(', ')}, w.lease_owner IS NOT NULL AS was_lost,
        w.lease_owner IS NOT NULL AND w.lease_owner LIKE '%${ALONE}' AS was_alone,
        ${aloneAfterLoss ? `w.lease_owner IS NOT NULL OR w.${lastError} = '${WORKER_LOST}'` : 'false'} AS is_suspect
      FROM ${definition.table} w WHERE ${where(param)}
      ${lane ? `ORDER BY ${lane.order} LIMIT 1` : ''} FOR NO KEY UPDATE ${lane ? 'SKIP LOCKED' : ''})
    UPDATE ${definition.table} w SET ${list(
      `${fence} = w.${fence} + 1`,
      aloneAfterLoss
        ? `${attempts} = CASE WHEN due.was_lost AND NOT due.was_alone THEN greatest(w.${attempts}, 1) ELSE w.${attempts} + 1 END,
           ${lastError} = CASE WHEN due.was_lost THEN '${WORKER_LOST}' ELSE w.${lastError} END`
        : `${attempts} = w.${attempts} + 1`,
      `lease_owner = ${param(leaseOwner)}, ${leaseFor(definition, leaseSeconds, param)}`,
      definition.onClaim,
    )} FROM due WHERE ${columns.map((column) => `w.${column} = due.${column}`).join(' AND ')}
    RETURNING ${keyText(definition, 'w')} AS "claimKey", w.${fence} AS "claimFence", w.${attempts} AS "claimAttempt",
      due.was_lost AS "wasLost", due.is_suspect AS "isSuspect", due.was_alone AS "wasLostAlone", ${definition.columns}`,
  );
}

/** Renews the lease and writes `set`; no row comes back when the claim is lost. */
export function holdStatement(
  claim: Claim,
  leaseSeconds: number,
  { set, isProgress = false }: { set?: Assignments; isProgress?: boolean } = {},
): Statement {
  const { definition } = claim;
  return statement(
    (param) =>
      `UPDATE ${definition.table} w SET ${list(
        leaseFor(definition, leaseSeconds, param),
        isProgress ? `${leaseOf(definition).attempts} = 0` : undefined,
        set?.(param),
      )} WHERE ${whereHeld(claim, param)} RETURNING 1`,
  );
}

/**
 * Renews many claims of one definition, except rows that a transaction of their own holder has locked at this moment.
 * Gives the keys of those that are still held.
 */
export function renewStatement(definition: WorkRules, claims: readonly Claim[], leaseSeconds: number): Statement {
  const columns = Object.entries(definition.key);
  const { fence } = leaseOf(definition);
  const isMine = `${columns.map(([column]) => `w.${column} = mine.${column}`).join(' AND ')}
      AND w.${fence} = mine.fence AND w.lease_owner = mine.lease_owner`;
  return statement(
    (param) => `WITH mine AS (SELECT * FROM unnest(${list(
      ...columns.map(([, type], at) => `${param(claims.map(({ key }) => key[at]))}::${type}[]`),
      `${param(claims.map(({ fence }) => fence))}::int[]`,
      `${param(claims.map(({ leaseOwner }) => leaseOwner))}::text[]`,
    )}) AS mine (${list(...columns.map(([column]) => column), 'fence', 'lease_owner')})),
    held AS (SELECT w.* FROM ${definition.table} w JOIN mine ON ${isMine} WHERE ${isOpen(definition)}),
    free AS (SELECT ${columns.map(([column]) => `w.${column}`).join(', ')} FROM ${definition.table} w
      JOIN mine ON ${isMine} FOR NO KEY UPDATE OF w SKIP LOCKED),
    renewed AS (UPDATE ${definition.table} w SET ${leaseFor(definition, leaseSeconds, param)}
      FROM free WHERE ${columns.map(([column]) => `w.${column} = free.${column}`).join(' AND ')})
    SELECT ${keyText(definition, 'held')} AS key FROM held`,
  );
}

/** Renews the lease under the name of a claim that has its process to itself; no row comes back when it is lost. */
export function aloneStatement(claim: Claim, leaseSeconds: number): Statement {
  const { definition } = claim;
  return statement(
    (param) =>
      `UPDATE ${definition.table} w SET lease_owner = ${param(aloneOwner(claim))},
         ${leaseFor(definition, leaseSeconds, param)} WHERE ${whereHeld(claim, param)} RETURNING 1`,
  );
}

export const aloneOwner = ({ leaseOwner }: Claim) => `${leaseOwner}${ALONE}`;

/** Lets go of the claim, with the work at an end, or (`nextAttempt`, SQL) to be gone on with. Gives whether it is due by then. */
export function endStatement(
  claim: Claim,
  {
    set,
    nextAttempt = 'NULL',
    attempts = '0',
    lastError = '',
  }: { set?: Assignments; nextAttempt?: string | Assignments; attempts?: string; lastError?: string | null },
  afterSeconds = 0,
): Statement {
  const { definition } = claim;
  const { attempts: tries, leasedUntil, nextAttempt: nextAt, lastError: error, dueAt, free } = leaseOf(definition);
  return statement((param) => {
    const next = typeof nextAttempt === 'string' ? nextAttempt : nextAttempt(param);
    return `UPDATE ${definition.table} w SET ${list(
      `lease_owner = NULL, ${leasedUntil} = ${free}`,
      `${nextAt} = ${next}, ${tries} = ${attempts}`,
      lastError === null || error === null ? undefined : `${error} = ${param(lastError)}`,
      set?.(param),
    )} WHERE ${whereHeld(claim, param)}
    RETURNING coalesce(${dueAt} <= ${NOW} + ${seconds(afterSeconds, param)}, false) AS "isDue"`;
  });
}

/** Rows that have been due for a while, and that nobody is at; oldest first. */
export function forgottenStatement(definitions: readonly WorkRules[], most: number, afterSeconds: number): string {
  return definitions
    .map((definition, at) => {
      const { table, lane } = definition;
      const { fence, dueAt } = leaseOf(definition);
      const key = lane ? `ARRAY[w.${lane.column}::text]` : keyText(definition, 'w');
      return `(SELECT ${at} AS at, ${key} AS key, w.${fence} AS fence FROM ${table} w
        WHERE ${dueAt} <= now() - ${afterSeconds} * interval '1 second' AND ${isFree(definition)}${andWhen(definition)}
        ORDER BY ${dueAt} LIMIT ${most})`;
    })
    .join(' UNION ALL ');
}
