import { CurrentUser, type Principal, Public } from '@app/auth';
import { ResumableFiles, ResumableUploads, UPLOAD_SETTINGS, type UploadSettings } from '@app/documents';
import { Controller, Delete, Get, Head, Inject, Options, Patch, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UuidParam } from '../../../http/params.js';
import { PartOf } from '../../../http/part-of.js';
import { type RawResponse, Route } from '../../../http/route.js';
import { DOCUMENT_UID, TusServer } from './tus-server.js';
import { TusStore } from './tus-store.js';
import { ResumableUploadResponse, toResumableUploadResponse } from './tus.dto.js';
import { outcomeOf, UploadCompletion } from './upload-completion.js';

const VERSION = '1.0.0';
const EMPTY: RawResponse = { contentType: 'text/plain', description: 'No body; the headers of the tus protocol.' };
/** Beside those that any route may answer. */
const ERRORS = { 409: 'detail', 412: 'detail', 413: 'detail' } as const;
const ABOUT =
  'tus 1.0 (https://tus.io): `Upload-Length`, `Upload-Metadata` with `filename`, `folder`, `train_after_upload`, `ocr`, `ocr_languages`. ' +
  'The whole file becomes a document, whose uid is in `X-Document-Uid`.';

/** Uploads that go on after a break, by the tus protocol (additive to docs/contract/documents.md#uploads). */
@PartOf('core')
@Controller('semantic-search/upload/tus')
export class TusController {
  constructor(
    @Inject(UPLOAD_SETTINGS) private readonly settings: UploadSettings,
    private readonly tus: TusServer,
    private readonly store: TusStore,
    private readonly uploads: ResumableUploads,
    private readonly files: ResumableFiles,
    private readonly completion: UploadCompletion,
  ) {}

  @Public()
  @Options('/')
  @Route({
    summary: 'What resumable uploads can do',
    description: 'The version, the extensions and the limit of the protocol (tus 1.0).',
    response: null,
    answersHeaders: ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'],
  })
  options(@Res({ passthrough: true }) response: Response): void {
    response.setHeader('Tus-Resumable', VERSION);
    response.setHeader('Tus-Version', VERSION);
    response.setHeader('Tus-Extension', this.store.extensions.join(','));
    response.setHeader('Tus-Max-Size', this.settings.maxUploadBytes);
  }

  @Post('/')
  @Route({
    summary: 'Begin a resumable upload',
    description: ABOUT,
    scope: 'documents:write',
    errors: ERRORS,
    response: EMPTY,
    status: 201,
    readsOwnBody: true,
    bodyOptional: true,
    readsHeaders: ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata'],
    answersHeaders: ['Tus-Resumable', 'Tus-Version', 'Location', 'Upload-Offset', 'Upload-Expires', 'X-Document-Uid'],
    consumes: 'application/offset+octet-stream',
  })
  create(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pass(request, response);
  }

  @Head(':id/')
  @Route({
    summary: 'How far a resumable upload is',
    description: 'From `Upload-Offset` on the client goes on. 404 for uploads of others.',
    scope: 'documents:write',
    errors: ERRORS,
    response: EMPTY,
    readsHeaders: ['Tus-Resumable'],
    answersHeaders: [
      'Tus-Resumable',
      'Tus-Version',
      'Upload-Offset',
      'Upload-Length',
      'Upload-Metadata',
      'Upload-Expires',
    ],
  })
  async offset(
    @CurrentUser() user: Principal,
    @UuidParam('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const upload = await this.uploads.getOwned(user.userId, id);
    const isWhole = (await this.files.sizeOf(id)) === upload.sizeBytes;
    if (upload.state === 'receiving' && !isWhole) return this.pass(request, response);
    // Its last step may have been broken off: whoever asks does it.
    const uid = upload.state === 'receiving' ? await this.completion.complete(id) : outcomeOf(upload);
    response.setHeader('Tus-Resumable', VERSION);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Upload-Offset', upload.sizeBytes);
    response.setHeader('Upload-Length', upload.sizeBytes);
    if (uid !== null) response.setHeader(DOCUMENT_UID, uid);
    response.end();
  }

  @Patch(':id/')
  @Route({
    summary: 'Send the next part of a resumable upload',
    description:
      'From the offset where the last one ended, 409 elsewhere. With the last byte the file becomes a document, whose uid is in `X-Document-Uid`.',
    scope: 'documents:write',
    errors: ERRORS,
    response: null,
    readsOwnBody: true,
    readsHeaders: ['Tus-Resumable', 'Upload-Offset'],
    answersHeaders: ['Tus-Resumable', 'Tus-Version', 'Upload-Offset', 'Upload-Expires', 'X-Document-Uid'],
    consumes: 'application/offset+octet-stream',
  })
  async append(
    @CurrentUser() user: Principal,
    @UuidParam('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.getOwned(user.userId, id);
    return this.pass(request, response);
  }

  @Delete(':id/')
  @Route({
    summary: 'Give a resumable upload up; its document stays',
    description: 'What has arrived of an unfinished upload is deleted.',
    scope: 'documents:write',
    errors: ERRORS,
    response: null,
    readsHeaders: ['Tus-Resumable'],
    answersHeaders: ['Tus-Resumable', 'Tus-Version'],
  })
  async terminate(
    @CurrentUser() user: Principal,
    @UuidParam('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.getOwned(user.userId, id);
    return this.pass(request, response);
  }

  @Get(':id/')
  @Route({
    summary: 'Follow a resumable upload',
    description: 'How many bytes have arrived, and the document that they have become.',
    scope: 'documents:read',
    response: ResumableUploadResponse,
  })
  async follow(@CurrentUser() user: Principal, @UuidParam('id') id: string): Promise<ResumableUploadResponse> {
    return toResumableUploadResponse(await this.uploads.getOwned(user.userId, id), await this.files.sizeOf(id));
  }

  private async pass(request: Request, response: Response): Promise<void> {
    response.setHeader('Tus-Resumable', VERSION);
    if (request.get('tus-resumable') !== VERSION) {
      response.status(412).setHeader('Tus-Version', VERSION);
      response.json({ detail: `Tus-Resumable: ${VERSION} is required.`, code: 'tus_version_required' });
      return;
    }
    const answer = await this.tus.handle(request);
    response.status(answer.status);
    for (const [name, value] of answer.headers)
      // Who may read the answer is decided for the whole api.
      if (!name.startsWith('access-control-')) response.setHeader(name, value);
    response.end();
  }
}
