import type { ModelTimeouts } from '@app/config';
import { toModelError } from './endpoint-fault.js';
import type { GeneratedAnswer, ModelRequest } from './language-model.port.js';
import { StreamWatch } from './stream-watch.js';
import { structuredAnswer, type WholeAnswer } from './structured-answer.js';

export type WholeRequest = ModelRequest & { outputSchema?: Record<string, unknown> };

/**
 * An answer at once, within the time that there is for it: what every protocol does around its own `ask`.
 * @param model as the answer names it
 * @throws as `LanguageModel` says
 */
export async function generateWhole(
  request: WholeRequest,
  { model, timeouts }: { model: string; timeouts: ModelTimeouts },
  ask: (request: ModelRequest, signal: AbortSignal, schema?: Record<string, unknown>) => Promise<WholeAnswer>,
): Promise<GeneratedAnswer> {
  const watch = new StreamWatch({ ...timeouts, firstTokenSeconds: timeouts.totalSeconds }, request.signal);
  const { outputSchema, messages } = request;
  try {
    request.signal?.throwIfAborted();
    const answer = outputSchema
      ? await structuredAnswer(outputSchema, watch.signal, (further) =>
          ask({ ...request, messages: [...messages, ...further] }, watch.signal, outputSchema),
        )
      : await ask(request, watch.signal);
    const known = answer.usage ?? { promptTokens: 0, completionTokens: 0 };
    return { text: answer.text, model, ...known, ...('object' in answer && { object: answer.object }) };
  } catch (error) {
    throw toModelError(error, watch.signal, request.signal);
  } finally {
    watch.end();
  }
}
