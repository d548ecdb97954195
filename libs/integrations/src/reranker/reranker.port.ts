/** Whoever reads question and passage together and says how well one answers the other. */
export abstract class Reranker {
  /** False: none is configured, and `rerank` must not be called. */
  abstract readonly enabled: boolean;

  /**
   * @returns a relevance of 0 to 1 for each text, in their order
   * @throws BadGatewayError (`reranker_error`), GatewayTimeoutError (`reranker_timeout`), the reason of `signal`
   */
  abstract rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<number[]>;
}
