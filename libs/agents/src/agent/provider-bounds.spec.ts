import type { ModelMessage } from '@app/integrations';
import { withinBounds } from './provider-bounds.js';

const step = (thought: string): ModelMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'c', name: 'add', input: {}, providerData: { madeBy: 'm', data: { s: 'x' } } }],
  providerData: { madeBy: 'm', data: { thought } },
});

it('keeps what providers gave with the newest steps, as far as there is room', () => {
  const messages = [step('a'.repeat(500)), step('b'.repeat(500)), step('c')];
  const kept = withinBounds(messages, 700);
  expect(kept.map((one) => JSON.stringify(one).includes('providerData'))).toEqual([false, true, true]);
  expect(kept[0]).toMatchObject({ toolCalls: [{ id: 'c', name: 'add', input: {} }] });
  expect(withinBounds(messages)).toEqual(messages);
});
