import { visibleDocumentParts } from '@app/access';
import type { DataSource } from 'typeorm';
import { LANGUAGES, type LanguageCode } from '../analysis/language.js';
import { READABLE, scopeParameters, type SearchScope, type Viewer } from './scope.js';

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
    const totals = toTotals(await this.dataSource.query<Counted[]>(COUNT, parameters));
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

const COUNT = `WITH ${READABLE}
  SELECT owner_id, embedding_model AS model, languages, sum(chunk_count) AS chunks, sum(term_count) AS terms
  FROM readable GROUP BY owner_id, embedding_model, languages`;

const [, SHARED] = visibleDocumentParts('$1');
const OWNERS = `SELECT $1::int AS owner_id UNION SELECT d.owner_id FROM ${SHARED!.from} WHERE ${SHARED!.where}`;

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
