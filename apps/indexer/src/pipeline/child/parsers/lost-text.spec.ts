import { isFileKind } from '@app/documents/kit';
import { constructsFiles } from '../../../../../../test/fixtures/documents/constructs.js';
import { extractText } from './extract-text.fixture.js';

describe('no text is lost', () => {
  it.each(constructsFiles().map((file) => [file.name, file] as const))('%s', async (_, file) => {
    if (!isFileKind(file.kind)) throw new Error(`No kind ${file.kind}`);
    const pages = await extractText(file.kind, file.bytes);
    const text = pages.map((page) => `${page.label ?? ''}\n${page.text}`).join('\n');
    expect(file.seen.filter((word) => !text.includes(word))).toEqual([]);
    expect(file.unseen.filter((word) => text.includes(word))).toEqual([]);
  });
});
