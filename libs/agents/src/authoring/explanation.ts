import { BadGatewayError } from '@app/common';
import { type Authored, explained } from './authored-results.js';
import { explainingSystem, messagesOf, type PromptParts } from './authoring-prompts.js';
import { type Authoring, count, progress } from './authoring-work.js';
import { nodesOf } from './base-text.js';

/** Pieces of an explanation are told together when they come faster. */
const DELTA_CHARACTERS = 200;

/** Has the model say what a workflow does, and tells it piece by piece. */
export async function explain(parts: PromptParts, authoring: Authoring, summary: string): Promise<Authored> {
  await progress(authoring, 'writing', 'Writing the explanation', 30);
  const { signal, usage, model, account } = authoring;
  const { task } = parts;
  const stream = model.streamAnswer({
    system: explainingSystem(parts),
    messages: messagesOf(task),
    usage: account,
    signal,
  });
  let message = '';
  let pending = '';
  const tell = async () => {
    if (pending !== '')
      await authoring.emit({ event: 'message', data: { role: 'assistant', text: pending, delta: true } });
    pending = '';
  };
  for await (const piece of stream) {
    message += piece;
    pending += piece;
    if (pending.length >= DELTA_CHARACTERS) await tell();
  }
  await tell();
  count(usage, stream.usage());
  if (message.trim() === '')
    throw new BadGatewayError('The language model had nothing to say.', { code: 'model_error' });
  return explained(message, nodesOf(task.base).length > 0 ? task.base : null, summary);
}
