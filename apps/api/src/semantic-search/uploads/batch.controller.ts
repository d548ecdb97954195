import { CurrentUser, type Principal } from '@app/auth';
import { currentContext, newId, ValidationError } from '@app/common';
import { normalizeFolder, sanitizeFilename, UploadRejectedError, type QueueClass } from '@app/documents';
import { StorageLimitExceededError } from '@app/entitlements';
import { Controller, Get, Inject, Post } from '@nestjs/common';
import { readDto } from '../../http/fields/validate.js';
import { UuidParam } from '../../http/params.js';
import { Route } from '../../http/route.js';
import { BatchFields, BatchResponse, type BatchResult, BatchUploadResponse, toBatchResponse } from './batch.dto.js';
import { UploadBatches } from './upload-batches.js';
import { tooLargeReason, type ReceivedFile, type ReceivedForm } from '../../uploads/upload-receiver.js';
import type { UploadRoom } from '../../uploads/upload-room.js';
import { UPLOAD_SETTINGS, type UploadSettings } from '../../uploads/upload-settings.js';
import { Form, ReceivesFiles } from '../../uploads/upload.interceptor.js';
import { checkOcrLanguages } from './ocr-languages.js';
import { type ScreenedUpload, UploadsService } from './uploads.service.js';

const MAX_FILES = 500;
/** A batch of more files is bulk work: single uploads are indexed before it. */
const MOST_AWAITED = 20;

@Controller('semantic-search/upload/batch')
export class BatchController {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly uploads: UploadsService,
    private readonly batches: UploadBatches,
  ) {}

  @Post('/')
  @Route({
    summary: 'Upload several files',
    description: `Multipart fields: \`files\` (1 to ${MAX_FILES}), \`folder\`, \`train_after_upload\`, \`ocr\`, \`ocr_languages\`.`,
    scope: 'documents:write',
    response: BatchUploadResponse,
    status: 202,
    errors: 'fields',
    startsSomething: true,
    readsOwnBody: true,
    consumes: 'multipart/form-data',
  })
  @ReceivesFiles('files', MAX_FILES, undefined, { perFile: true })
  async upload(@CurrentUser() user: Principal, @Form() form: ReceivedForm): Promise<BatchUploadResponse> {
    if (form.files.length === 0) throw new ValidationError({ files: ['This field is required.'] });
    const fields = readDto(BatchFields, form.fields, 'text');
    normalizeFolder(fields.folder);
    const languages = checkOcrLanguages(fields.ocr_languages, this.settings.ocrLanguages);
    return this.store(user.userId, form, { ...fields, ocr_languages: languages });
  }

  @Get(':batchId/status/')
  @Route({ summary: 'Follow a batch', scope: 'documents:read', response: BatchResponse })
  async status(@CurrentUser() user: Principal, @UuidParam('batchId') batchId: string): Promise<BatchResponse> {
    return toBatchResponse(await this.batches.getProgress(user.userId, batchId));
  }

  private async store(ownerId: number, form: ReceivedForm, fields: BatchFields): Promise<BatchUploadResponse> {
    // All before the first is kept: a scanner that is down refuses the whole batch, not the rest of it.
    const checked: (ScreenedUpload | BatchResult)[] = [];
    for (const file of form.files) checked.push(await this.check(file));
    const batchId = await this.batches.create(ownerId);
    const results: BatchResult[] = [];
    for (const [position, upload] of checked.entries()) {
      const queueClass = checked.length > MOST_AWAITED ? 'bulk' : 'interactive';
      const options = { ...fields, queueClass } as const;
      const result = 'reasons' in upload ? upload : await this.keep(ownerId, upload, options, form.room);
      const { filename, uid: documentUid, reasons } = result;
      await this.batches.addItem(batchId, { position, filename, documentUid, refusal: reasons.join(' ') });
      results.push(result);
    }
    return { batch_id: batchId, total: results.length, results };
  }

  /** A file that is refused does not stop the others. */
  private async check(file: ReceivedFile): Promise<ScreenedUpload | BatchResult> {
    try {
      if (file.isTooLarge) throw new UploadRejectedError([tooLargeReason(this.settings.maxUploadBytes)]);
      return await this.uploads.screen(file);
    } catch (error) {
      if (!(error instanceof UploadRejectedError)) throw error;
      const filename = sanitizeFilename(file.originalName);
      const status = error.code === 'upload_blocked' ? 'blocked' : 'rejected';
      return { filename, uid: null, upload_id: uploadId(), status, reasons: [...error.reasons], errors: {} };
    }
  }

  private async keep(
    ownerId: number,
    upload: ScreenedUpload,
    {
      folder,
      ocr,
      ocr_languages: ocrLanguages,
      train_after_upload: train,
      queueClass,
    }: BatchFields & { queueClass: QueueClass },
    room: UploadRoom,
  ): Promise<BatchResult> {
    const options = { folder, ocr, ocrLanguages, train, externalDriveItemId: null, queueClass };
    const kept = await this.uploads.keep(ownerId, upload, options, room).catch(asFull);
    if ('reasons' in kept)
      return { filename: upload.filename, uid: null, upload_id: uploadId(), status: 'rejected', ...kept, errors: {} };
    const { document } = kept;
    // A worker may be at it already, which the five results do not know.
    const status = ['pending_publish', 'untrained'].includes(document.processingState)
      ? document.processingState
      : 'queued';
    return { filename: upload.filename, uid: document.uid, upload_id: uploadId(), status, reasons: [], errors: {} };
  }
}

/** A file for which there is no room does not stop the others either: they may be smaller. */
function asFull(error: unknown): { reasons: string[] } {
  if (!(error instanceof StorageLimitExceededError)) throw error;
  return { reasons: [error.message] };
}

const uploadId = () => currentContext()?.requestId ?? newId();
