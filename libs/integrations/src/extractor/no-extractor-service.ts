import { UnavailableError } from '@app/common';
import { type ExtractorBytes, ExtractorService } from './extractor-service.port.js';

export class NoExtractorService extends ExtractorService {
  readonly enabled = false;

  json(): Promise<unknown> {
    return Promise.reject(notConfigured());
  }

  workbook(): Promise<ExtractorBytes> {
    return Promise.reject(notConfigured());
  }

  stream(): Promise<ExtractorBytes> {
    return Promise.reject(notConfigured());
  }
}

function notConfigured(): UnavailableError {
  return new UnavailableError('No extractor is configured.', { code: 'extractor_not_configured' });
}
