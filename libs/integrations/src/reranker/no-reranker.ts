import { UnavailableError } from '@app/common';
import { Reranker } from './reranker.port.js';

export class NoReranker extends Reranker {
  readonly enabled = false;

  rerank(): Promise<number[]> {
    return Promise.reject(new UnavailableError('No reranker is configured.', { code: 'reranker_not_configured' }));
  }
}
