/** For whom the service works: told with each call, and never taken from what a client sent. */
export interface ExtractorCaller {
  userId: number;
  /** Tables belong to it. */
  email: string;
  /** Name of the organisation; '' for none. */
  organization: string;
}

export interface ExtractorCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/microservices/data-extractor/`, in pieces as they were meant: each is encoded by the adapter. */
  path: readonly string[];
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  caller: ExtractorCaller;
  /** Aborts when nobody waits any longer. */
  signal: AbortSignal;
}

/** An answer that is passed on as it comes. Whoever stops reading ends the call. */
export type ExtractorBytes = AsyncGenerator<Uint8Array, void>;

/**
 * A separate service that keeps extracted tables (docs/contract/extractor-service.md). Its answers are read with bounds,
 * in size and in time, and it is asked at the address of the operator alone.
 */
export abstract class ExtractorService {
  /** False: none is configured, and nothing may be asked. */
  abstract readonly enabled: boolean;

  /**
   * @returns what it answered, as JSON
   * @throws BadGatewayError (`extractor_error`), GatewayTimeoutError (`extractor_timeout`), the refusals of the service
   *   as InvalidRequestError, ForbiddenError, NotFoundError, ConflictError and PayloadTooLargeError; the signal's reason
   */
  abstract json(call: ExtractorCall): Promise<unknown>;

  /** A workbook. @throws as `json`, and when it breaks off */
  abstract workbook(call: ExtractorCall): Promise<ExtractorBytes>;

  /**
   * Events, or raw text in their place.
   * @param lastEventId from where a follower goes on
   * @throws as `json`, and when it breaks off
   */
  abstract stream(call: ExtractorCall, lastEventId?: string): Promise<ExtractorBytes>;
}
