import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DocumentExtractor } from '../pipeline/document-extractor.js';

/** Ends the reading processes with the indexer. */
@Injectable()
export class ExtractorProcesses implements OnApplicationShutdown {
  constructor(private readonly extractor: DocumentExtractor) {}

  onApplicationShutdown(): void {
    this.extractor.close();
  }
}
