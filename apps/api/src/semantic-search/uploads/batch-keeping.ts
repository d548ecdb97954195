import { currentContext, newId } from '@app/common';
import {
  type KnownBatchItem,
  type OpenBatch,
  type QueueClass,
  UploadBatches,
  UploadRejectedError,
} from '@app/documents';
import { StorageLimitExceededError, StorageQuota } from '@app/entitlements';
import { Injectable } from '@nestjs/common';
import { UploadQuota } from '../../uploads/upload-quota.js';
import type { BatchCandidate } from './batch-intake.js';
import type { BatchFields, BatchResult } from './batch.dto.js';
import { UploadsService } from './uploads.service.js';

/** A batch of more files is bulk work: single uploads are indexed before it. */
const MOST_AWAITED = 20;

type Options = BatchFields & { queueClass: QueueClass };

/** From what was looked at to the documents and items of a batch. */
@Injectable()
export class BatchKeeping {
  constructor(
    private readonly uploads: UploadsService,
    private readonly batches: UploadBatches,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Each document stands in the batch from the moment that it is there; what an earlier try of the request has kept is not
   * kept again.
   * @param room for the form as it came
   */
  async keep(
    ownerId: number,
    { batchId, known }: OpenBatch,
    candidates: readonly BatchCandidate[],
    fields: BatchFields,
    reserved: UploadQuota,
  ): Promise<BatchResult[]> {
    const isKept = (position: number, { filename }: BatchCandidate) => {
      const item = known.get(position);
      return item !== undefined && !item.refused && item.filename === filename ? item : null;
    };
    const packed = candidates.some(({ archive }) => archive !== '');
    const free = packed
      ? await this.roomFor(
          ownerId,
          candidates.filter((each, n) => isKept(n, each) === null),
          reserved,
        )
      : reserved;
    const queueClass = candidates.length > MOST_AWAITED ? 'bulk' : 'interactive';
    const results: BatchResult[] = [];
    try {
      for (const [position, candidate] of candidates.entries()) {
        const item = isKept(position, candidate);
        if (item !== null) results.push(resultOfKept(candidate, item));
        else
          results.push(await this.keepOne(ownerId, { batchId, position, candidate }, { ...fields, queueClass }, free));
      }
    } finally {
      if (free !== reserved) await free.release();
    }
    return results;
  }

  /** What comes out of an archive is more than what came in, which was reserved: that is given back first. */
  private async roomFor(
    ownerId: number,
    candidates: readonly BatchCandidate[],
    reserved: UploadQuota,
  ): Promise<UploadQuota> {
    await reserved.release();
    const bytes = candidates.reduce((total, { outcome }) => total + ('file' in outcome ? outcome.file.size : 0), 0);
    if (bytes === 0) return reserved;
    return UploadQuota.reserve(this.quota, ownerId, bytes, true);
  }

  private async keepOne(
    ownerId: number,
    { batchId, position, candidate }: { batchId: string; position: number; candidate: BatchCandidate },
    { ocr, ocr_languages: ocrLanguages, train_after_upload: train, queueClass }: Options,
    reserved: UploadQuota,
  ): Promise<BatchResult> {
    const { filename, folder, outcome } = candidate;
    const refuse = async (error: UploadRejectedError | StorageLimitExceededError) => {
      const reasons = error instanceof UploadRejectedError ? [...error.reasons] : [error.message];
      await this.batches.addItem(batchId, { position, filename, documentUid: null, refusal: reasons.join(' ') });
      const status = error.code === 'upload_blocked' ? 'blocked' : 'rejected';
      return { ...shared(candidate), uid: null, status, reasons };
    };
    if (outcome instanceof UploadRejectedError) return refuse(outcome);
    const options = { folder, ocr, ocrLanguages, train, externalDriveItemId: null, queueClass };
    try {
      const { document } = await this.uploads.keep(ownerId, outcome, options, reserved, ({ uid }, tx) =>
        this.batches.addItem(batchId, { position, filename, documentUid: uid, refusal: '' }, tx),
      );
      return { ...shared(candidate), uid: document.uid, status: statusOf(document.processingState), reasons: [] };
    } catch (error) {
      // A file for which there is no room does not stop the others either: they may be smaller.
      if (error instanceof StorageLimitExceededError) return refuse(error);
      throw error;
    }
  }
}

function resultOfKept(candidate: BatchCandidate, { documentUid, state }: KnownBatchItem): BatchResult {
  if (documentUid === null || state === null)
    return { ...shared(candidate), uid: null, status: 'rejected', reasons: ['The document was deleted.'] };
  return { ...shared(candidate), uid: documentUid, status: statusOf(state), reasons: [] };
}

/** A worker may be at it already, which the five results do not know. */
function statusOf(state: string): string {
  return ['pending_publish', 'untrained'].includes(state) ? state : 'queued';
}

function shared({ filename, archive, folder }: BatchCandidate) {
  return { filename, archive, folder, upload_id: currentContext()?.requestId ?? newId(), errors: {} };
}
