import { sharingOwners } from '@app/access';
import { totalsOf } from '@app/entities';
import type { DataSource } from 'typeorm';
import { LANGUAGES, type LanguageCode } from '../analysis/language.js';
import { eachShared, isNarrowed, READABLE, scopeParameters, type SearchScope, type Viewer } from './scope.js';

/** From here on counting takes longer than searching. */
const REMEMBERED_FROM_CHUNKS = 50_000;
const REMEMBERED_MS = 30_000;
const MOST_REMEMBERED = 1000;

export interface ScopeTotals {
  /** Whose documents are in it. */
  owners: number[];
  chunks: number;
  /** Mean of the chunks, in terms. */
  meanLength: number;
  /** Chunks with a vector of each encoder. */
  vectors: Readonly<Record<string, number>>;
  /** That passages were stemmed by. */
  languages: readonly LanguageCode[];
}

interface Counted {
  owner_id: number;
  model: string | null;
  languages: string[];
  chunks: string;
  terms: string;
}

/**
 * How much a scope holds. Of large scopes this is remembered for half a minute: totals weigh words and choose a way to
 * search, they never decide who sees what. Whose documents may be in a scope is asked every time.
 */
export class ScopeCounter {
  private readonly remembered = new Map<string, { totals: ScopeTotals; until: number }>();

  constructor(private readonly dataSource: DataSource) {}

  async count(viewer: Viewer, scope: SearchScope): Promise<ScopeTotals> {
    const parameters = scopeParameters(viewer, scope);
    const key = JSON.stringify(parameters);
    const known = this.remembered.get(key);
    if (known && known.until > Date.now()) return { ...known.totals, owners: await this.ownersFor(viewer) };
    this.remembered.delete(key);
    const statement = isNarrowed(scope) ? COUNT_PART : COUNT_ALL;
    const totals = toTotals(await this.dataSource.query<Counted[]>(statement, parameters));
    if (totals.chunks >= REMEMBERED_FROM_CHUNKS) this.remember(key, totals);
    return totals;
  }

  private remember(key: string, totals: ScopeTotals): void {
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined && this.remembered.size >= MOST_REMEMBERED) this.remembered.delete(oldest);
    this.remembered.set(key, { totals, until: Date.now() + REMEMBERED_MS });
  }

  private async ownersFor({ userId }: Viewer): Promise<number[]> {
    const rows = await this.dataSource.query<{ owner_id: number }[]>(OWNERS, [userId]);
    return rows.map((row) => row.owner_id);
  }
}

const COUNTS = 'owner_id, embedding_model AS model, languages, sum(chunk_count) AS chunks, sum(term_count) AS terms';
const BY = 'GROUP BY owner_id, embedding_model, languages';
/** Of a part of what the viewer may read. */
const COUNT_PART = `WITH ${READABLE} SELECT ${COUNTS} FROM readable ${BY}`;

/** Of everything: one's own is known, only what others share is added up. */
const COUNT_ALL = `SELECT $1::int AS owner_id, part::jsonb->>0 AS model,
    ARRAY(SELECT jsonb_array_elements_text(part::jsonb->1)) AS languages,
    sum(value) FILTER (WHERE kind = 'readable_chunks') AS chunks,
    coalesce(sum(value) FILTER (WHERE kind = 'readable_terms'), 0) AS terms
  FROM ${totalsOf(['readable_chunks', 'readable_terms'], '$1::int::text')} own
  GROUP BY part HAVING sum(value) FILTER (WHERE kind = 'readable_chunks') > 0
  UNION ALL
  SELECT ${COUNTS} FROM (
    ${eachShared('i.owner_id, i.embedding_model, i.languages, i.chunk_count, i.term_count')}) shared ${BY}`;

const OWNERS = `WITH RECURSIVE ${sharingOwners('$1')}
  SELECT $1::int AS owner_id UNION SELECT owner_id FROM sharing WHERE owner_id IS NOT NULL`;

const KNOWN: ReadonlySet<string> = new Set(LANGUAGES);
const isLanguage = (language: string): language is LanguageCode => KNOWN.has(language);

function toTotals(rows: readonly Counted[]): ScopeTotals {
  const sum = (of: (row: Counted) => string) => rows.reduce((total, row) => total + Number(of(row)), 0);
  const chunks = sum((row) => row.chunks);
  const vectors: Record<string, number> = {};
  for (const { model, chunks: count } of rows)
    if (model !== null) vectors[model] = (vectors[model] ?? 0) + Number(count);
  const meanLength = Math.max(1, sum((row) => row.terms) / Math.max(1, chunks));
  const languages = [...new Set<string>(rows.flatMap((row) => row.languages))].filter(isLanguage);
  return { owners: [...new Set(rows.map((row) => row.owner_id))], chunks, meanLength, vectors, languages };
}
