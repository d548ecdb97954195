import { UnavailableError } from '@app/common';
import { Embeddings } from './embeddings.port.js';

export class NoEmbeddings extends Embeddings {
  readonly enabled = false;
  readonly onPremises = true;
  readonly language = null;
  readonly modelId = 'off';
  readonly hybridWeight = 0;

  embed(): Promise<Float32Array[]> {
    return Promise.reject(new UnavailableError('No embeddings are configured.', { code: 'embeddings_not_configured' }));
  }
}
