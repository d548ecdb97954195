/**
 * Turns texts into vectors whose angle tells how alike the texts are. Throws: `UnavailableError`
 * (`embeddings_not_configured`) when not enabled, `BadGatewayError` (`model_error`), `GatewayTimeoutError`
 * (`model_timeout`), or the reason of `signal`.
 */
export abstract class Embeddings {
  abstract readonly enabled: boolean;
  /** Whether what it reads stays in the house. */
  abstract readonly onPremises: boolean;
  /** The only language that it reads, BCP 47: what it makes of others is noise. Null for an encoder of many. */
  abstract readonly language: string | null;
  /** Names model and endpoint kind; vectors of different ids cannot be compared. */
  abstract readonly modelId: string;
  /**
   * How much the vector score counts beside the keyword score in hybrid search, 0 to 1; measured per encoder
   * (test/bench/retrieval.mjs).
   */
  abstract readonly hybridWeight: number;

  /** One unit-length vector per text, in order, all of the same length. Any number of texts; an empty text is allowed. */
  abstract embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
}
