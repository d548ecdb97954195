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
    const wholeOf = ({ text, reason, usage }: WholeAnswer) => {
      const known = usage ?? { promptTokens: 0, completionTokens: 0 };
      return { text, model, reason, ...known };
    };
    if (!outputSchema) return wholeOf(await ask(request, watch.signal));
    const answer = await structuredAnswer(outputSchema, watch.signal, (further) =>
      ask({ ...request, messages: [...messages, ...further] }, watch.signal, outputSchema),
    );
    const { object, misfit } = answer;
    return { ...wholeOf(answer), object, ...(misfit !== null && { misfit }) };
  } catch (error) {
    throw toModelError(error, watch.signal, request.signal);
  } finally {
    watch.end();
  }
}
