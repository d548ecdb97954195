import type { DocumentLibraryPort, DocumentText, NewFile, ReadableFile, StoragePort } from '@app/workflow-definition';
import { errorOf, outputOf, runTool } from '../tool-context.spec-support.js';
import { ocrTool } from './ocr.tool.js';
import { pdfTextTool } from './pdf-text.tool.js';
import { readFileTool } from './read-file.tool.js';

const storageOf = (bytes: Buffer, declared = bytes.length): StoragePort => ({
  find: () => Promise.resolve(fileOf(bytes, declared)),
  findWritten: () => Promise.resolve(null),
  write: (_viewer: unknown, _file: NewFile) => Promise.reject(new Error('not called')),
});

function fileOf(bytes: Buffer, sizeBytes: number): ReadableFile {
  return {
    name: 'a.bin',
    mimeType: 'application/octet-stream',
    sizeBytes,
    async *open() {
      for (let at = 0; at < bytes.length; at += 10) yield bytes.subarray(at, at + 10);
    },
  };
}

describe('read_file', () => {
  it.each([
    [Buffer.from('café'), {}, { text: 'café', base64: null }],
    [Buffer.from([0xff, 0xfe, 0x61, 0]), {}, { text: 'a', base64: null }],
    [Buffer.from([0x50, 0x4b, 0, 1]), {}, { text: null, base64: 'UEsAAQ==' }],
    [Buffer.from([0xe9]), {}, { text: null, base64: '6Q==' }],
    [Buffer.from([0xe9]), { encoding: 'text' }, { text: '\ufffd', base64: null }],
    [Buffer.from('a'), { encoding: 'base64' }, { text: null, base64: 'YQ==' }],
  ])('%j with %j', async (bytes, more, expected) => {
    const output = await outputOf(readFileTool, { file: 'a', ...more }, { storage: storageOf(bytes) });
    expect(output).toMatchObject({ ...expected, filename: 'a.bin', size_bytes: bytes.length });
  });

  it.each([
    [{ media_path: '/media/written/1/a.txt', path: 'a.txt', size_bytes: 5 }, '/media/written/1/a.txt'],
    [{ status: 200, file: { media_path: '/media/written/1/b', filename: 'b' } }, '/media/written/1/b'],
    [{ url: 'https://a.example/a', uid: 'u1', file_name: 'a' }, 'u1'],
    [JSON.stringify({ media_path: '/media/written/1/a.txt' }), '/media/written/1/a.txt'],
    ['{draft}.txt', '{draft}.txt'],
  ])('finds the file that %j names', async (file, expected) => {
    const asked: string[] = [];
    const storage: StoragePort = {
      ...storageOf(Buffer.from('a')),
      find: (_viewer, name) => {
        asked.push(name);
        return Promise.resolve(fileOf(Buffer.from('a'), 1));
      },
    };
    await outputOf(readFileTool, { file }, { storage });
    expect(asked).toEqual([expected]);
  });

  it.each([[null], [5], [{ filename: 'a' }], [{ file: null }], [[{ media_path: '/media/a' }]]])(
    'says that %j names no file',
    async (file) => {
      const error = await errorOf(readFileTool, { file }, { storage: storageOf(Buffer.from('a')) });
      expect(error).toMatchObject({ code: 'invalid_params' });
    },
  );

  it('refuses a text of objects within objects, however many', async () => {
    const file = `${'{"file":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const error = await errorOf(readFileTool, { file }, { storage: storageOf(Buffer.from('a')) });
    expect(error).toMatchObject({ code: 'invalid_params' });
  });

  it('reads no more than it may, whatever the size is said to be', async () => {
    const params = { file: 'a', max_bytes: 20 };
    const storage = storageOf(Buffer.alloc(50));
    expect(await errorOf(readFileTool, params, { storage })).toMatchObject({ code: 'file_too_large' });
    const lying = storageOf(Buffer.alloc(50), 5);
    expect(await errorOf(readFileTool, params, { storage: lying })).toMatchObject({ code: 'file_too_large' });
  });
});

const libraryOf = (...states: DocumentText[]) => {
  const asked: string[] = [];
  const library = {
    text: () => Promise.resolve(states.length > 1 ? states.shift()! : states[0]!),
    recognise: (_viewer: unknown, uid: string) => {
      asked.push(uid);
      return Promise.resolve();
    },
  } as unknown as DocumentLibraryPort;
  return { library, asked };
};

describe('the text of documents', () => {
  const pages = [1, 2, 3, 5].map((page) => ({ page, text: `Page ${page}.` }));
  const ready: DocumentText = { state: 'ready', filename: 'a.pdf', ocr: false, pages };
  const params = { document: 'uid' };

  it.each([
    ['', [1, 2, 3, 5]],
    ['1', [1]],
    ['2-3, 5', [2, 3, 5]],
    ['9', []],
  ])('of the pages %j', async (wanted, numbers) => {
    const { library } = libraryOf(ready);
    const output = await outputOf<{ pages: { page: number }[] }>(
      pdfTextTool,
      { ...params, pages: wanted },
      { library },
    );
    expect(output.pages.map(({ page }) => page)).toEqual(numbers);
    expect(output).toMatchObject({ page_count: 5, truncated: false, filename: 'a.pdf' });
  });

  it('is cut where it is to be', async () => {
    const { library } = libraryOf(ready);
    const output = await outputOf(pdfTextTool, { ...params, max_characters: 10 }, { library });
    expect(output).toMatchObject({ text: 'Page 1.\n\nPag', truncated: true });
    expect(await errorOf(pdfTextTool, { ...params, pages: 'a-b' }, { library })).toMatchObject({
      code: 'invalid_params',
    });
  });

  it('is waited for away from the worker, but not for ever', async () => {
    const { library } = libraryOf({ state: 'working', detail: 'Reading page 3.' });
    const result = await runTool(pdfTextTool, params, { library, now: () => 1_000 });
    expect(result).toEqual({ wait: { reason: 'timer', until: 3_000, data: { since: 1_000 } } });
    const resume = { reason: 'timer' as const, data: { since: 1_000 }, answer: null };
    const late = { library, resume, now: () => 1_000_000 };
    expect(await errorOf(pdfTextTool, params, late)).toMatchObject({ code: 'document_not_ready', retryable: true });
    const failed = libraryOf({ state: 'failed', detail: 'The file is damaged.' });
    expect(await errorOf(pdfTextTool, params, failed)).toMatchObject({ code: 'document_not_read', retryable: false });
  });

  it('is recognised first, where that was not done', async () => {
    const { library, asked } = libraryOf(ready, { ...ready, ocr: true });
    expect(await runTool(ocrTool, params, { library })).toHaveProperty('wait');
    expect(await outputOf(ocrTool, params, { library })).toMatchObject({ recognised: true });
    expect(asked).toEqual(['uid', 'uid']);
  });
});
