import { BadGatewayError, GatewayTimeoutError } from '@app/common';
import { z } from 'zod';
import { Reranker } from './reranker.port.js';

/** A few kilobytes for fifty scores; more is no answer. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Rerankers read some 512 tokens of a pair. */
const MAX_CHARACTERS = 4000;

const ANSWER = z.object({
  results: z.array(z.object({ index: z.int().nonnegative(), relevance_score: z.number() })),
});

export interface EndpointRerankerOptions {
  /** `/rerank` is added. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  timeoutSeconds: number;
}

/** The protocol that Cohere, Jina, Voyage, vLLM, LiteLLM and Infinity share: `POST /rerank {model, query, documents}`. */
export class EndpointReranker extends Reranker {
  readonly enabled = true;

  constructor(private readonly options: EndpointRerankerOptions) {
    super();
  }

  async rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]> {
    const timeout = AbortSignal.timeout(this.options.timeoutSeconds * 1000);
    const either = signal ? AbortSignal.any([timeout, signal]) : timeout;
    try {
      return scoresOf(await this.ask(query, texts, either), texts.length);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeout.aborted)
        throw new GatewayTimeoutError('The reranker did not answer in time.', {
          code: 'reranker_timeout',
          cause: error,
        });
      throw new BadGatewayError('The reranker failed.', { code: 'reranker_error', cause: error });
    }
  }

  private async ask(query: string, texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    const { baseUrl, apiKey, model } = this.options;
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/rerank`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      body: JSON.stringify({
        model,
        query,
        documents: texts.map((text) => text.slice(0, MAX_CHARACTERS)),
        top_n: texts.length,
      }),
      redirect: 'error',
      signal,
    });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Error(`The reranker answered ${response.status}.`);
    }
    return JSON.parse(await readBounded(response.body)) as unknown;
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('The answer of the reranker is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Some answer with logits instead of probabilities: then all of them are squeezed into 0 to 1. */
function scoresOf(answer: unknown, count: number): number[] {
  const { results } = ANSWER.parse(answer);
  const raw = new Map(results.map(({ index, relevance_score }) => [index, relevance_score]));
  if (raw.size !== count || results.some(({ index }) => index >= count))
    throw new Error('The reranker did not score each passage once.');
  const isProbability = results.every(({ relevance_score: score }) => score >= 0 && score <= 1);
  return Array.from({ length: count }, (_, at) => {
    const score = raw.get(at)!;
    return isProbability ? score : 1 / (1 + Math.exp(-score));
  });
}
