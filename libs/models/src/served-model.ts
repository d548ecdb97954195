import {
  LanguageModel,
  textOf,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type ModelRequest,
  type StepEnd,
  type StepPart,
  type StepRequest,
  type StepStream,
} from '@app/integrations';
import { CallBudgets } from './budget/call-budgets.js';
import type { HeldCall } from './budget/call-budget.js';
import { CallRoute } from './calls/call-route.js';
import type { Endpoint } from './calls/endpoint.js';
import { CallMeter } from './metering/call-meter.js';
import { numberTries } from './metering/tries.js';
import type { UsageLedger } from './metering/usage-ledger.js';

/**
 * One configured model: a call waits for its turn, is tried again while nothing of the answer has come, goes to the
 * model that stands in, and is metered, try by try.
 */
export class ServedModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;

  /** @param endpoints its own, then those that stand in for it */
  constructor(
    private readonly endpoints: readonly [Endpoint, ...Endpoint[]],
    private readonly ledger: UsageLedger,
    private readonly budgets = new CallBudgets(),
  ) {
    super();
    this.descriptor = endpoints[0].descriptor;
  }

  override takes(userId?: number): number {
    return this.endpoints[0].window.tokensFor(userId);
  }

  streamAnswer(request: ModelRequest): AnswerStream {
    return textOf(this.streamStep({ ...request, tools: [] }));
  }

  streamStep(request: StepRequest): StepStream {
    let end: StepEnd | null = null;
    const parts = this.parts(request, (ended) => (end = ended));
    return { [Symbol.asyncIterator]: () => parts, end: () => end };
  }

  async generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer> {
    const route = new CallRoute(this.endpoints, request, this.budgets);
    const tries = numberTries(this.descriptor.value);
    for (let failure: unknown = null; ;) {
      const { endpoint, held, leave } = await route.next(failure);
      const meter = new CallMeter(this.ledger, endpoint, request, tries(), held);
      try {
        const answer = await endpoint.model.generate(within(request, held));
        endpoint.recover();
        endpoint.window.noteSuccess(request);
        const { text, promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = answer;
        meter.takeWhole(text);
        const isCounted = promptTokens > 0 || completionTokens > 0;
        const usage = {
          promptTokens,
          completionTokens,
          ...(cachedTokens !== undefined && { cachedTokens }),
          ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
        };
        return { ...answer, ...meter.complete(isCounted ? usage : null) };
      } catch (error) {
        meter.fail(error);
        endpoint.window.noteFailure(request, error);
        failure = error;
      } finally {
        leave();
      }
    }
  }

  private async *parts(request: StepRequest, ended: (end: StepEnd) => void): AsyncGenerator<StepPart, void> {
    const route = new CallRoute(this.endpoints, request, this.budgets);
    const tries = numberTries(this.descriptor.value);
    for (let failure: unknown = null; ;) {
      const { endpoint, held, leave } = await route.next(failure);
      const meter = new CallMeter(this.ledger, endpoint, request, tries(), held);
      let hasBegun = false;
      try {
        const stream = endpoint.model.streamStep(within(request, held));
        for await (const part of stream) {
          hasBegun = true;
          meter.take(part);
          yield part;
        }
        endpoint.recover();
        endpoint.window.noteSuccess(request);
        const end = stream.end()!;
        meter.ends(end.reason);
        return ended({ ...end, usage: meter.complete(end.usage) });
      } catch (error) {
        meter.fail(error);
        if (hasBegun) throw error;
        endpoint.window.noteFailure(request, error);
        failure = error;
      } finally {
        meter.abandon();
        leave();
      }
    }
  }
}

/** The request, with an answer that is no longer than what was set aside for it. */
function within<Request extends ModelRequest>(request: Request, held: HeldCall | null): Request {
  const most = held?.maxOutputTokens ?? null;
  return most === null ? request : { ...request, maxOutputTokens: most };
}
