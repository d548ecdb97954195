/** Someone signed in, however the caller talks to the api. */
export interface Person {
  email: string;
  call(method: string, path: string, body?: unknown): Promise<unknown>;
}

export interface OwnedDocument {
  uid: string;
  owner: number;
  /** A word that stands in this document and in its twin of the other person only. */
  word: string;
  trashed?: boolean;
  sharedTo?: number;
}

export interface IsolationReport {
  searches: number;
  hits: number;
  /** Passages of documents that the searcher could not see at that moment. */
  foreign: string[];
  /** Changes that the next query did not show. */
  late: string[];
  changes: Record<string, number>;
}

interface Options {
  searches: number;
  random: () => number;
  /** Resolves when a restored document has been indexed again; null where nothing indexes. */
  indexed: ((uid: string) => Promise<void>) | null;
}

const BURST = 10;

/**
 * Two people hold the same texts. Between bursts of searches one document is shared, taken back, trashed, restored or
 * moved; the very next query must show it, and no search may ever show what its searcher cannot see.
 */
export async function searchSideBySide(
  people: readonly [Person, Person],
  documents: OwnedDocument[],
  { searches, random, indexed }: Options,
): Promise<IsolationReport> {
  const report: IsolationReport = { searches: 0, hits: 0, foreign: [], late: [], changes: {} };
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const visible = (viewer: number) =>
    new Set(
      documents
        .filter((one) => !one.trashed && (one.owner === viewer || one.sharedTo === viewer))
        .map((one) => one.uid),
    );

  async function search(viewer: number, query: string, more: object = {}): Promise<string[]> {
    const body = { query, limit: 50, ...more };
    const { results } = (await people[viewer]!.call('POST', '/semantic-search/search/', body)) as {
      results: { uid: string }[];
    };
    report.searches += 1;
    report.hits += results.length;
    const allowed = visible(viewer);
    for (const { uid } of results) if (!allowed.has(uid)) report.foreign.push(`${uid} for ${viewer}: ${query}`);
    return results.map(({ uid }) => uid);
  }

  async function shows(viewer: number, document: OwnedDocument, expected: boolean, change: string): Promise<void> {
    const found = (await search(viewer, document.word)).includes(document.uid);
    if (found !== expected) report.late.push(`${change}: ${document.uid} for ${viewer}`);
  }

  const changes: Record<string, () => Promise<void>> = {
    async share() {
      const document = any(documents.filter((one) => !one.trashed && one.sharedTo === undefined));
      const reader = 1 - document.owner;
      const path = `/semantic-search/documents/${document.uid}/users/add/`;
      await people[document.owner]!.call('POST', path, { emails: [people[reader]!.email] });
      document.sharedTo = reader;
      await shows(reader, document, true, 'share');
    },
    async revoke() {
      const shared = documents.filter((one) => one.sharedTo !== undefined && !one.trashed);
      if (shared.length === 0) return;
      const document = any(shared);
      const reader = document.sharedTo!;
      const path = `/semantic-search/documents/${document.uid}/users/remove/`;
      await people[document.owner]!.call('POST', path, { emails: [people[reader]!.email] });
      delete document.sharedTo;
      await shows(reader, document, false, 'revoke');
    },
    async trash() {
      const document = any(documents.filter((one) => !one.trashed));
      await people[document.owner]!.call('DELETE', `/semantic-search/${document.uid}/delete/`);
      document.trashed = true;
      for (const viewer of [0, 1]) await shows(viewer, document, false, 'trash');
    },
    async restore() {
      const trashed = documents.filter((one) => one.trashed);
      if (trashed.length === 0) return;
      const document = any(trashed);
      await people[document.owner]!.call('POST', `/semantic-search/${document.uid}/restore/`);
      document.trashed = false;
      if (!indexed) return;
      await indexed(document.uid);
      await shows(document.owner, document, true, 'restore');
      if (document.sharedTo !== undefined) await shows(document.sharedTo, document, true, 'restore');
    },
    async move() {
      const document = any(documents.filter((one) => !one.trashed));
      const folder = `moved-${Math.floor(random() * 5)}`;
      await people[document.owner]!.call('PUT', `/semantic-search/${document.uid}/update/`, { folder });
      const inFolder = await search(document.owner, document.word, { folder });
      if (!inFolder.includes(document.uid) && indexed) report.late.push(`move: ${document.uid}`);
    },
  };

  while (report.searches < searches) {
    const change = any(Object.keys(changes));
    await changes[change]!();
    report.changes[change] = (report.changes[change] ?? 0) + 1;
    const burst = Array.from({ length: BURST }, async (_, at) => {
      const query = any([any(documents).word, 'report water', 'meeting budget river', `${any(documents).word} report`]);
      const scope = any([{}, {}, { uids: [any(documents).uid, any(documents).uid] }, { folder: 'moved-1' }]);
      await search(at % 2, query, scope);
    });
    await Promise.all(burst);
  }
  return report;
}

/** A text for each number, the same for both people. */
export function twinText(number: number): { word: string; text: string } {
  const word = `zephyr${number.toString(36)}q`;
  const subject = ['water', 'budget', 'river', 'meeting'][number % 4]!;
  return {
    word,
    text: `The report number ${number} speaks of the ${subject} and of ${word}. A meeting follows the report.`,
  };
}
