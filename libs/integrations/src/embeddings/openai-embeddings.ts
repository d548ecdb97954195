import { BadGatewayError } from '@app/common';
import { isPrivateAddress } from '@app/config';
import { OpenAICompatibleEmbeddingModel } from '@ai-sdk/openai-compatible';
import type { EmbeddingModel } from 'ai';
import { endpointAddress } from '../openai/endpoint-address.js';
import { toModelError } from '../language-model/endpoint-fault.js';
import { Embeddings } from './embeddings.port.js';
import { toUnitLength } from './unit-length.js';

/** Endpoints commonly refuse more than 96 to 2048 inputs a call; none refuses this many. */
const BATCH = 64;
/** Far below the 8k tokens that encoders take; longer texts are cut. */
const MAX_CHARACTERS = 16_000;

export interface OpenAiEmbeddingsOptions {
  /** Ends in /v1. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  timeoutSeconds: number;
  headers?: Readonly<Record<string, string>>;
  maxRetries?: number;
  /** 0 to 1; 0.5 unless told. */
  hybridWeight?: number;
}

export class OpenAiEmbeddings extends Embeddings {
  readonly enabled = true;
  readonly onPremises: boolean;
  readonly language = null;
  readonly modelId: string;
  readonly hybridWeight: number;
  private readonly model: EmbeddingModel;

  constructor(private readonly options: OpenAiEmbeddingsOptions) {
    super();
    this.hybridWeight = options.hybridWeight ?? 0.5;
    this.onPremises = isPrivateAddress(new URL(options.baseUrl).hostname);
    this.modelId = `openai:${options.model}`;
    const { url, headers } = endpointAddress(options.baseUrl, options.apiKey);
    this.model = new OpenAICompatibleEmbeddingModel(options.model, {
      provider: 'openai',
      url: ({ path }) => url(path),
      headers: () => ({ ...headers, ...options.headers }),
    });
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH) {
      vectors.push(...(await this.embedBatch(texts.slice(start, start + BATCH), signal)));
    }
    return vectors;
  }

  private async embedBatch(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const timeout = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    const any = signal ? AbortSignal.any([timeout, signal]) : timeout;
    // Some megabytes of each process: for those that have an endpoint.
    const { embedMany, RetryError } = await import('ai');
    try {
      const { embeddings } = await embedMany({
        model: this.model,
        // Some endpoints refuse an empty input.
        values: texts.map((text) => text.slice(0, MAX_CHARACTERS).trim() || '-'),
        abortSignal: any,
        maxRetries: this.options.maxRetries ?? 3,
      });
      const dimensions = embeddings[0]?.length;
      if (
        embeddings.length !== texts.length ||
        !dimensions ||
        embeddings.some((vector) => vector.length !== dimensions)
      )
        throw new BadGatewayError('The embeddings endpoint did not answer with one vector per text.', {
          code: 'model_error',
        });
      return embeddings.map(toUnitLength);
    } catch (error) {
      if (error instanceof BadGatewayError) throw error;
      throw toModelError(RetryError.isInstance(error) ? error.lastError : error, any, signal);
    }
  }
}
