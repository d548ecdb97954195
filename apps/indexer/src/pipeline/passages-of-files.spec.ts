import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findKindByFilename } from '@app/documents';
import { chunkPages, type PageText } from '@app/retrieval';
import { DocumentExtractor } from './document-extractor.js';
import { ExtractionError } from './extraction-error.js';

const CHILD_ENTRY = resolve(__dirname, '../../dist/pipeline/child/main.js');
/** Further folders of files, comma-separated: `ATRIUM_PAGES`. */
const FOLDERS = [
  resolve(__dirname, '../../../../test/fixtures/documents'),
  ...(process.env.ATRIUM_PAGES ?? '').split(',').filter(Boolean),
];

const files = FOLDERS.filter(existsSync).flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && findKindByFilename(entry.name) !== null)
    .map((entry) => join(entry.parentPath, entry.name)),
);

/** Whether an offset lies between two letters or digits that stand side by side, in scripts with spaces. */
function isWithinWord(text: string, at: number): boolean {
  return /^[\p{Script=Latin}\p{Script=Arabic}\p{N}]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1));
}

describe('passages of real files', () => {
  const extractor = new DocumentExtractor({ childEntry: CHILD_ENTRY });
  afterAll(() => extractor.close());

  it('are slices of their pages, leave nothing out, and end between words', async () => {
    let passages = 0;
    for (const path of files) {
      const pages: PageText[] = [];
      const kind = findKindByFilename(path)!.id;
      await extractor
        .extract({ path, kind, ocr: false, onPage: (page) => void pages.push(page) })
        .catch((error: unknown) => expect([path, error]).toEqual([path, expect.any(ExtractionError)]));
      const byNumber = new Map(pages.map((page) => [page.number, page]));
      const covered = new Map<number, number>();
      for (const { page, start, end, text, context, spans } of await chunkPages(pages, { filename: path })) {
        const { text: whole } = byNumber.get(page)!;
        expect(text).toBe(whole.slice(start, end));
        expect([path, page, start, isWithinWord(whole, start)]).toEqual([path, page, start, false]);
        expect([path, page, end, isWithinWord(whole, end)]).toEqual([path, page, end, false]);
        const from = covered.get(page) ?? 0;
        expect(whole.slice(from, Math.max(from, start)).trim()).toBe('');
        covered.set(page, end);
        expect(context.length).toBeLessThanOrEqual(300);
        for (const span of spans) expect(span.start! < end && span.end! > start).toBe(true);
        passages += 1;
      }
      for (const { number, text } of pages) expect(text.slice(covered.get(number) ?? 0).trim()).toBe('');
    }
    expect(passages).toBeGreaterThan(15);
  });
});
