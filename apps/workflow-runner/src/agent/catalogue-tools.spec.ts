import { SystemClock } from '@app/common';
import { toolCatalogue } from '@app/workflow-tools';
import { CatalogueTools } from './catalogue-tools.js';

const caller = { viewer: { userId: 7, turnId: 't' }, workId: 't' };
const context = { idempotencyKey: 'k', signal: new AbortController().signal, cite: () => 1 };

it('tells an agent what the kinds that it uses warn of', async () => {
  const tool = new CatalogueTools(toolCatalogue, {}, new SystemClock()).find('sort', caller)!;
  const sorted = async (field: string) => (await tool.run({ items: [{ a: 2 }, { a: 1 }], field }, context)).output;
  expect(await sorted('b')).toMatchObject({ warnings: [expect.stringContaining('"b"')], count: 2 });
  expect(await sorted('a')).toEqual({ items: [{ a: 1 }, { a: 2 }], count: 2 });
});
