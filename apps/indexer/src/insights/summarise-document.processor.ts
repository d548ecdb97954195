import { classifyDocument } from '@app/documents';
import { summaryWork, SummaryWriting, type ClaimedSummary } from '@app/retrieval';
import { Performs, type Claim } from '@app/work';
import { Injectable } from '@nestjs/common';

@Injectable()
export class SummariseDocumentProcessor {
  constructor(private readonly writing: SummaryWriting) {}

  @Performs(summaryWork)
  summarise(claim: Claim<ClaimedSummary>, signal: AbortSignal): Promise<void> {
    return this.writing.write(claim, signal, classifyDocument);
  }
}
