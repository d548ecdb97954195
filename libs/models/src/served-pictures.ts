import type { ModelDefinition } from '@app/config';
import {
  ImageGeneration,
  type MadePicture,
  type ModelRequest,
  OpenAiImageGeneration,
  type PictureRequest,
} from '@app/integrations';
import { CallBudgets } from './budget/call-budgets.js';
import { CallRoute } from './calls/call-route.js';
import { Endpoint } from './calls/endpoint.js';
import { CallMeter } from './metering/call-meter.js';
import { numberTries } from './metering/tries.js';
import type { UsageLedger } from './metering/usage-ledger.js';

/** One configured model of the capability `image_gen`: waits for its turn, is tried again while it is busy, and is metered. */
export class ServedPictures extends ImageGeneration {
  readonly available = true;
  private readonly endpoint: Endpoint;
  private readonly pictures: OpenAiImageGeneration;

  constructor(
    definition: ModelDefinition,
    private readonly ledger: UsageLedger,
    private readonly budgets = new CallBudgets(),
  ) {
    super();
    this.endpoint = new Endpoint(definition, ledger.prices);
    const { baseUrl, apiKey, value: model, headers, extraBody, onPremises, timeouts } = definition;
    this.pictures = new OpenAiImageGeneration({
      baseUrl,
      model,
      headers,
      extraBody,
      timeoutSeconds: timeouts.totalSeconds,
      ...(apiKey !== null && { apiKey }),
      ...(onPremises !== null && { onPremises }),
    });
  }

  get model(): string {
    return this.pictures.model;
  }

  get onPremises(): boolean {
    return this.pictures.onPremises;
  }

  async make(request: PictureRequest): Promise<MadePicture> {
    const { prompt, signal, usage } = request;
    const asked: ModelRequest = {
      messages: [{ role: 'user', content: prompt }],
      ...(signal && { signal }),
      ...(usage && { usage }),
    };
    const route = new CallRoute([this.endpoint], asked, this.budgets);
    const tries = numberTries(this.pictures.model);
    for (let failure: unknown = null; ;) {
      const { endpoint, held, leave } = await route.next(failure);
      const meter = new CallMeter(this.ledger, endpoint, asked, tries(), held);
      try {
        const { tokens, ...picture } = await this.pictures.make(request);
        endpoint.recover();
        return { ...picture, usage: meter.complete(tokens, 1) };
      } catch (error) {
        meter.fail(error);
        failure = error;
      } finally {
        leave();
      }
    }
  }
}
