import { CurrentUser, type Principal } from '@app/auth';
import { ValidationError } from '@app/common';
import { normalizeFolder, UPLOAD_SETTINGS, UploadBatches, type UploadSettings } from '@app/documents';
import { Controller, Get, Inject, Post, Req } from '@nestjs/common';
import type { ApiRequest } from '../../http/api-request.js';
import { readDto } from '../../http/fields/validate.js';
import { fingerprintOf, idempotencyKeyOf } from '../../http/idempotency.interceptor.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import type { ReceivedForm } from '../../uploads/upload-receiver.js';
import { Form, ReceivesFiles } from '../../uploads/upload.interceptor.js';
import { BatchIntake } from './batch-intake.js';
import { BatchKeeping } from './batch-keeping.js';
import { BatchFields, BatchResponse, BatchUploadResponse, toBatchResponse } from './batch.dto.js';
import { checkOcrLanguages } from './ocr-languages.js';

const MAX_FILES = 500;

@PartOf('core')
@Controller('semantic-search/upload/batch')
export class BatchController {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly intake: BatchIntake,
    private readonly keeping: BatchKeeping,
    private readonly batches: UploadBatches,
  ) {}

  @Post('/')
  @Route({
    summary: 'Upload several files',
    description:
      `Multipart fields: \`files\` (1 to ${MAX_FILES}), \`folder\`, \`train_after_upload\`, \`ocr\`, \`ocr_languages\`. ` +
      'A ZIP archive among the files is opened: each file in it is an item of the batch, and its folders become folders. ' +
      'Archives within it are not opened. A request that is repeated with its `Idempotency-Key` after it broke off goes on with its batch.',
    scope: 'documents:write',
    response: BatchUploadResponse,
    status: 202,
    errors: 'fields',
    startsSomething: true,
    readsOwnBody: true,
    consumes: 'multipart/form-data',
    form: BatchFields,
  })
  @ReceivesFiles('files', MAX_FILES, undefined, { perFile: true })
  async upload(
    @CurrentUser() user: Principal,
    @Form() form: ReceivedForm,
    @Req() request: ApiRequest,
  ): Promise<BatchUploadResponse> {
    if (form.files.length === 0) throw new ValidationError({ files: ['This field is required.'] });
    const fields = readDto(BatchFields, form.fields, 'form');
    normalizeFolder(fields.folder);
    const languages = checkOcrLanguages(fields.ocr_languages, this.settings.ocrLanguages);
    return this.store(user.userId, form, { ...fields, ocr_languages: languages }, repeatableName(request));
  }

  @Get(':batchId/status/')
  @Route({
    summary: 'Follow a batch',
    description: 'How many of its files are done, at work and failed, one by one.',
    scope: 'documents:read',
    response: BatchResponse,
  })
  async status(@CurrentUser() user: Principal, @UuidParam('batchId') batchId: string): Promise<BatchResponse> {
    return toBatchResponse(await this.batches.getProgress(user.userId, batchId));
  }

  private async store(ownerId: number, form: ReceivedForm, fields: BatchFields, request: string | null) {
    const gathered = await this.intake.gather(form.files, normalizeFolder(fields.folder));
    try {
      const batch = await this.batches.open(ownerId, request);
      const results = await this.keeping.keep(ownerId, batch, gathered.candidates, fields, form.reserved);
      return { batch_id: batch.batchId, total: results.length, results };
    } finally {
      await gathered.discard();
    }
  }
}

/** What makes a repeated request the same one: its key, and what it sends. */
function repeatableName(request: ApiRequest): string | null {
  const key = idempotencyKeyOf(request);
  return key === undefined ? null : `${key}:${fingerprintOf(request).toString('hex')}`;
}
