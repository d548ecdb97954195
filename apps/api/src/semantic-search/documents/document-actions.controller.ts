import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError, NotFoundError, ValidationError } from '@app/common';
import {
  DocumentLifecycle,
  documentNotFound,
  DocumentReader,
  type DocumentRecord,
  normalizeFolder,
} from '@app/documents';
import { Body, Controller, Delete, Inject, Post, Put } from '@nestjs/common';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SEMANTIC_SEARCH_SETTINGS, type SemanticSearchSettings } from '../semantic-search-settings.js';
import { checkOcrLanguages } from '../uploads/ocr-languages.js';
import {
  DocumentResponse,
  PurgedResponse,
  RestoredResponse,
  RetryRequest,
  TrashedResponse,
  UpdateDocumentRequest,
} from './document.dto.js';
import { presentDocument } from './present-document.js';

/** What an owner does with one document. */
@PartOf('core')
@Controller('semantic-search/:uid')
export class DocumentActionsController {
  constructor(
    @Inject(SEMANTIC_SEARCH_SETTINGS) private readonly settings: SemanticSearchSettings,
    private readonly reader: DocumentReader,
    private readonly lifecycle: DocumentLifecycle,
  ) {}

  @Put('update/')
  @Route({
    summary: 'Move a document to another folder',
    description: 'A folder that does not exist is made. The document is not indexed again.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: DocumentResponse,
  })
  async update(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() body: UpdateDocumentRequest,
  ): Promise<DocumentResponse> {
    await this.reader.requireAccess(user.userId, uid, 'manage');
    refuseRename(body, await this.reader.getVisible(user.userId, uid));
    if (body.folder === undefined) throw new ValidationError({ folder: ['This field is required.'] });
    return this.respond(user, await this.lifecycle.move(uid, normalizeFolder(body.folder)));
  }

  @Delete('delete/')
  @Route({
    summary: 'Put a document into the trash',
    description: 'No search finds it from now on; it can be restored until its time is over. Only its owner may.',
    scope: 'documents:write',
    response: TrashedResponse,
  })
  async trash(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<TrashedResponse> {
    const [document] = await this.lifecycle.trash(user.userId, [uid], this.settings.trashRetentionDays);
    if (!document?.deletedAt || !document.purgeAt) throw documentNotFound();
    return { status: 'trashed', uid, deleted_at: document.deletedAt, purge_at: document.purgeAt };
  }

  @Post('restore/')
  @Route({
    summary: 'Take a document out of the trash',
    description: 'It is found and answers again, and is indexed where that is needed. Only its owner may.',
    scope: 'documents:write',
    response: RestoredResponse,
    startsSomething: true,
  })
  async restore(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<RestoredResponse> {
    const document = await this.lifecycle.restore(user.userId, uid);
    if (!document) throw new NotFoundError('There is no such document in the trash.', { code: 'document_not_found' });
    const detail =
      document.processingState === 'untrained'
        ? 'The document is restored.'
        : 'The document is restored and will be indexed again.';
    return { status: 'restored', uid, detail };
  }

  @Delete('permanent-delete/')
  @Route({
    summary: 'Remove a document with its file and index for good',
    description: 'It cannot be taken back. Only its owner may.',
    scope: 'documents:write',
    response: PurgedResponse,
  })
  async purge(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<PurgedResponse> {
    if ((await this.lifecycle.purge([uid], user.userId)).length === 0) throw documentNotFound();
    return { status: 'permanently_deleted', uid };
  }

  @Post('retry/')
  @Route({
    bodyOptional: true,
    summary: 'Index a document again',
    description: 'The body may be left out.',
    errors: 'fields',
    scope: 'documents:write',
    response: DocumentResponse,
    status: 202,
    startsSomething: true,
  })
  async retry(
    @CurrentUser() user: Principal,
    @UuidParam('uid') uid: string,
    @Body() { ocr, ocr_languages: wanted }: RetryRequest,
  ): Promise<DocumentResponse> {
    await this.reader.requireAccess(user.userId, uid, 'manage');
    const requested = await this.lifecycle.reindex(uid, {
      ...(ocr === undefined ? {} : { ocr }),
      ...(wanted === undefined ? {} : { ocrLanguages: checkOcrLanguages(wanted, this.settings.ocrLanguages) }),
    });
    return this.respond(user, requested?.document ?? null);
  }

  @Post('cancel/')
  @Route({
    summary: 'Stop indexing a document',
    description: 'It stays and can be downloaded; `retry` begins again.',
    errors: { 409: 'detail' },
    scope: 'documents:write',
    response: DocumentResponse,
    open: true,
  })
  async cancel(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<DocumentResponse> {
    await this.reader.requireAccess(user.userId, uid, 'manage');
    return this.respond(user, await this.lifecycle.cancel(uid));
  }

  private respond(user: Principal, document: DocumentRecord | null): Promise<DocumentResponse> {
    if (!document) throw documentNotFound();
    return presentDocument(this.reader, document, user.userId);
  }
}

/** Clients may send a whole document back, so only a name that differs is an attempt. */
function refuseRename({ filename, name, path }: UpdateDocumentRequest, document: DocumentRecord): void {
  const kept = [undefined, document.filename];
  if (
    kept.includes(filename as string) &&
    kept.includes(name as string) &&
    [undefined, document.path].includes(path as string)
  )
    return;
  throw new InvalidRequestError('A document cannot be renamed; only its folder can change.', {
    code: 'rename_not_allowed',
  });
}
