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
export const workerLost = ({ workerLost: own }: WorkRules) => own ?? 'The worker stopped unexpectedly.';
/** Behind the lease owner of a suspect that has its process to itself. */
const ALONE = '/alone';
/** Behind the lease owner of a row that shows that its worker is lost. */
const LOST = '/lost';

const isOpen = (definition: WorkRules) => `${leaseOf(definition).isOpen}${andWhen(definition)}`;

/** The same as `isDue` for a row `w` of the definition. */
function isDueNow(definition: WorkRules, dueBy = 'now()'): string {
  const { leasedUntil, dueAt } = leaseOf(definition);
  return `${isOpen(definition)} AND ${dueAt} <= ${dueBy} AND (w.${leasedUntil} IS NULL OR w.${leasedUntil} <= now())`;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

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
    AND w.${leaseOf(definition).leaseOwner} = ${param(leaseOwner)} AND ${isOpen(definition)}`;

const andWhen = ({ when }: WorkRules) => (when ? ` AND ${when}` : '');
const seconds = (count: number, param: Param) => `${param(count)} * interval '1 second'`;
const list = (...assignments: (string | undefined)[]) => assignments.filter(Boolean).join(', ');

/** Takes the row, or the first one of the lane, if it is due: no row comes back otherwise. */
export function claimStatement(
  definition: WorkRules,
  key: readonly string[],
  { leaseOwner, leaseSeconds, mayBeLost = true }: { leaseOwner: string; leaseSeconds: number; mayBeLost?: boolean },
): Statement {
  const columns = Object.keys(definition.key);
  const { aloneAfterLoss, lane } = definition;
  const { fence, attempts, leaseOwner: owner, leasedUntil, lastError } = leaseOf(definition);
  const lost = literal(workerLost(definition));
  const wanted = (param: Param) =>
    lane ? `w.${lane.column} = ${param(key[0])}::${lane.type}` : whereKey(definition, key, param);
  return statement(
    (param) => `WITH due AS (
      SELECT ${columns.map((column) => `w.${column}`).join(', ')}, w.${owner} IS NOT NULL AS was_lost,
        w.${owner} IS NOT NULL AND w.${owner} LIKE '%${ALONE}%' AS was_alone,
        ${aloneAfterLoss ? `w.${owner} IS NOT NULL OR w.${lastError} = ${lost}` : 'false'} AS is_suspect
      FROM ${definition.table} w
      WHERE ${wanted(param)} AND ${isDueNow(definition)}${mayBeLost ? '' : ` AND w.${owner} IS NULL`}
      ${lane ? `ORDER BY ${lane.order} LIMIT 1` : ''} FOR NO KEY UPDATE ${lane ? 'SKIP LOCKED' : ''})
    UPDATE ${definition.table} w SET ${list(
      `${fence} = w.${fence} + 1`,
      aloneAfterLoss
        ? `${attempts} = CASE WHEN due.was_lost AND NOT due.was_alone THEN greatest(w.${attempts}, 1) ELSE w.${attempts} + 1 END,
           ${lastError} = CASE WHEN due.was_lost THEN ${lost} ELSE w.${lastError} END`
        : `${attempts} = w.${attempts} + 1`,
      `${owner} = ${param(leaseOwner)}, ${leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)}`,
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
  const { attempts, leasedUntil } = leaseOf(definition);
  return statement(
    (param) =>
      `UPDATE ${definition.table} w SET ${list(
        `${leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)}`,
        isProgress ? `${attempts} = 0` : undefined,
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
  const { fence, leaseOwner, leasedUntil } = leaseOf(definition);
  const isMine = `${columns.map(([column]) => `w.${column} = mine.${column}`).join(' AND ')}
    AND w.${fence} = mine.fence AND w.${leaseOwner} = mine.lease_owner`;
  return statement(
    (param) => `WITH mine AS (SELECT * FROM unnest(${list(
      ...columns.map(([, type], at) => `${param(claims.map(({ key }) => key[at]))}::${type}[]`),
      `${param(claims.map(({ fence }) => fence))}::int[]`,
      `${param(claims.map(({ leaseOwner }) => leaseOwner))}::text[]`,
    )}) AS mine (${list(...columns.map(([column]) => column), 'fence', 'lease_owner')})),
    held AS (SELECT w.* FROM ${definition.table} w JOIN mine ON ${isMine} WHERE ${isOpen(definition)}),
    free AS (SELECT ${columns.map(([column]) => `w.${column}`).join(', ')} FROM ${definition.table} w
      JOIN mine ON ${isMine} FOR NO KEY UPDATE OF w SKIP LOCKED),
    renewed AS (UPDATE ${definition.table} w SET ${leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)}
      FROM free WHERE ${columns.map(([column]) => `w.${column} = free.${column}`).join(' AND ')})
    SELECT ${keyText(definition, 'held')} AS key FROM held`,
  );
}

/** A value for each of many claims, as `mine.<name>`. */
export interface HeldColumn {
  name: string;
  /** SQL */
  type: string;
  values: readonly unknown[];
}

/**
 * Renews the leases of many claims of one definition, and writes `set` (SQL over `w` and `mine`). Gives keys and fences of
 * those that are held; unlike a heartbeat it waits for whoever has the row.
 */
export function holdManyStatement(
  claims: readonly Claim[],
  leaseSeconds: number,
  { columns, set }: { columns: readonly HeldColumn[]; set: string },
): Statement {
  const { definition } = claims[0]!;
  const keys = Object.entries(definition.key);
  const { fence, leaseOwner, leasedUntil } = leaseOf(definition);
  const isSame = (one: string) => keys.map(([column]) => `w.${column} = ${one}.${column}`).join(' AND ');
  return statement(
    (param) => `WITH mine AS MATERIALIZED (SELECT * FROM unnest(${list(
      ...keys.map(([, type], at) => `${param(claims.map(({ key }) => key[at]))}::${type}[]`),
      `${param(claims.map((claim) => claim.fence))}::int[]`,
      `${param(claims.map((claim) => claim.leaseOwner))}::text[]`,
      ...columns.map(({ type, values }) => `${param(values)}::${type}[]`),
    )}) AS mine (${list(...keys.map(([column]) => column), 'fence', 'lease_owner', ...columns.map(({ name }) => name))})),
    held AS MATERIALIZED (SELECT ${keys.map(([column]) => `w.${column}`).join(', ')} FROM ${definition.table} w JOIN mine ON ${isSame('mine')}
        AND w.${fence} = mine.fence AND w.${leaseOwner} = mine.lease_owner WHERE ${isOpen(definition)}
      ORDER BY ${keys.map(([column]) => `w.${column}`).join(', ')} FOR NO KEY UPDATE OF w)
    UPDATE ${definition.table} w SET ${list(`${leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)}`, set)}
    FROM held JOIN mine USING (${keys.map(([column]) => column).join(', ')}) WHERE ${isSame('held')} AND w.${fence} = mine.fence
    RETURNING ${keyText(definition, 'w')} AS key, w.${fence} AS fence`,
  );
}

/** Renews the lease under the name of a claim that has its process to itself; no row comes back when it is lost. */
export function aloneStatement(claim: Claim, leaseSeconds: number): Statement {
  const { definition } = claim;
  const { leaseOwner, leasedUntil } = leaseOf(definition);
  return statement(
    (param) =>
      `UPDATE ${definition.table} w SET ${leaseOwner} = ${param(aloneOwner(claim))},
         ${leasedUntil} = ${NOW} + ${seconds(leaseSeconds, param)} WHERE ${whereHeld(claim, param)} RETURNING 1`,
  );
}

export const aloneOwner = ({ leaseOwner }: Claim) => `${leaseOwner}${ALONE}`;

/** Shows of rows whose lease has run out that their worker is lost; a late one has lost its claim. */
export function lostStatement(
  definition: WorkRules,
  { of, set }: NonNullable<WorkRules['onLost']>,
  most: number,
): Statement {
  const columns = Object.keys(definition.key);
  const { leaseOwner, leasedUntil, lastError } = leaseOf(definition);
  return statement(
    (param) => `UPDATE ${definition.table} w SET ${list(
      `${leaseOwner} = concat(w.${leaseOwner}, '${LOST}'), ${leasedUntil} = NULL`,
      lastError === null ? undefined : `${lastError} = ${param(workerLost(definition))}`,
      set,
    )} FROM (SELECT ${columns.map((column) => `w.${column}`).join(', ')} FROM ${definition.table} w
        WHERE ${of} AND w.${leasedUntil} <= now() AND ${isOpen(definition)} LIMIT ${param(most)}
        FOR NO KEY UPDATE SKIP LOCKED) lost
      WHERE ${columns.map((column) => `w.${column} = lost.${column}`).join(' AND ')}`,
  );
}

/** Lets go of the claim, with the work at an end, or (`nextAttempt`, SQL) to be gone on with. Gives whether it is due by then. */
export function endStatement(
  claim: Claim,
  {
    set,
    nextAttempt = 'NULL',
    tries = '0',
    lastError = '',
  }: {
    set?: Assignments;
    nextAttempt?: string | ((param: Param, attempts: string) => string);
    /** SQL. @param attempts those of now */
    tries?: string | ((attempts: string) => string);
    lastError?: string | null;
  },
  afterSeconds = 0,
): Statement {
  const { definition } = claim;
  const lease = leaseOf(definition);
  const attempts = `w.${lease.attempts}`;
  return statement((param) => {
    const next = typeof nextAttempt === 'string' ? nextAttempt : nextAttempt(param, attempts);
    return `UPDATE ${definition.table} w SET ${list(
      `${lease.leaseOwner} = NULL, ${lease.leasedUntil} = ${lease.free}, ${lease.nextAttempt} = ${next}`,
      `${lease.attempts} = ${typeof tries === 'string' ? tries : tries(attempts)}`,
      // Reasons may quote what others told; Postgres takes no NUL.
      lastError === null || lease.lastError === null
        ? undefined
        : `${lease.lastError} = ${param(lastError.replaceAll('\0', ''))}`,
      set?.(param),
    )} WHERE ${whereHeld(claim, param)} 
    RETURNING coalesce(${lease.isOpen} AND ${lease.dueAt} <= ${NOW} + ${seconds(afterSeconds, param)}, false) AS "isDue"`;
  });
}

/**
 * Rows that have been due for a while, and that nobody is at; oldest first, but where a job leads to the row whose turn
 * it is: any of them does then.
 */
export function forgottenStatement(definitions: readonly WorkRules[], most: number, afterSeconds: number): string {
  const dueBy = `now() - ${afterSeconds} * interval '1 second'`;
  return definitions
    .map((definition, at) => {
      const { table, lane } = definition;
      const { fence, dueAt } = leaseOf(definition);
      const key = lane ? `ARRAY[w.${lane.column}::text]` : keyText(definition, 'w');
      return `(SELECT ${at} AS at, ${key} AS key, w.${fence} AS fence FROM ${table} w
        WHERE ${isDueNow(definition, dueBy)} ${'next' in definition ? '' : `ORDER BY ${dueAt}`} LIMIT ${most})`;
    })
    .join(' UNION ALL ');
}
