import { CurrentUser, type Principal } from '@app/auth';
import { currentContext, newId } from '@app/common';
import { DocumentReader, UPLOAD_SETTINGS, UploadRejectedError, type UploadSettings } from '@app/documents';
import { Controller, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { readDto } from '../../http/fields/validate.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import type { ReceivedForm } from '../../uploads/upload-receiver.js';
import { Form, ReceivesFiles } from '../../uploads/upload.interceptor.js';
import { DocumentResponse } from '../documents/document.dto.js';
import { presentDocument } from '../documents/present-document.js';
import { checkOcrLanguages } from './ocr-languages.js';
import { toQueueFields, UploadFields, UploadResponse } from './upload.dto.js';
import { asRefusal, UploadsService } from './uploads.service.js';

@PartOf('core')
@Controller('semantic-search/upload')
export class UploadsController {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly uploads: UploadsService,
    private readonly reader: DocumentReader,
  ) {}

  @Post('/')
  @Route({
    summary: 'Upload a file',
    description:
      'Multipart fields: `path` (the file), `folder`, `train_after_upload`, `ocr`, `ocr_languages`, `external_drive_item_id`. ' +
      'A file that was imported from the external drive before is shown to the caller instead (200).',
    scope: 'documents:write',
    response: UploadResponse,
    status: 201,
    alsoAnswers: { 200: DocumentResponse },
    startsSomething: true,
    readsOwnBody: true,
    consumes: 'multipart/form-data',
    form: UploadFields,
  })
  @ReceivesFiles('path', 1)
  async upload(
    @CurrentUser() user: Principal,
    @Form() { files: [file], fields: raw, reserved }: ReceivedForm,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UploadResponse | DocumentResponse> {
    if (!file) throw new UploadRejectedError(['path: This field is required.']);
    const fields = readFields(raw, this.settings.ocrLanguages);
    const options = {
      folder: fields.folder,
      ocr: fields.ocr,
      ocrLanguages: fields.ocr_languages,
      train: fields.train_after_upload,
      externalDriveItemId: fields.external_drive_item_id || null,
    };
    const uploaded = await this.uploads.add(user.userId, file, options, reserved);
    const document = await presentDocument(this.reader, uploaded.document, user.userId);
    if (uploaded.imported) {
      response.status(200);
      return document;
    }
    const uploadId = currentContext()?.requestId ?? newId();
    return { ...document, upload_id: uploadId, ...toQueueFields(uploaded.delivery) };
  }
}

function readFields(fields: Record<string, unknown>, offered: readonly string[]): UploadFields {
  try {
    const read = readDto(UploadFields, fields, 'form');
    return { ...read, ocr_languages: checkOcrLanguages(read.ocr_languages, offered) };
  } catch (error) {
    throw asRefusal(error);
  }
}
