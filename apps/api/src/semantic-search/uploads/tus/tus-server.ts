import type { Principal } from '@app/auth';
import { newId } from '@app/common';
import { ResumableUploads, UPLOAD_SETTINGS, UploadLocks, type UploadSettings } from '@app/documents';
import { Inject, Injectable } from '@nestjs/common';
import { Server } from '@tus/server';
import type { Request } from 'express';
import type { ServerRequest } from 'srvx';
import { NodeRequest } from 'srvx/node';
import { fromTus } from './tus-errors.js';
import { TusStore } from './tus-store.js';
import { UploadCompletion } from './upload-completion.js';
import { checkMetadata, refuseUnreadable } from './upload-metadata.js';

export const TUS_PATH = '/semantic-search/upload/tus';
export const DOCUMENT_UID = 'X-Document-Uid';

/** The protocol (tus 1.0), as the library speaks it; who may do what is decided before. */
@Injectable()
export class TusServer {
  private readonly server: Server;
  private readonly failures = new WeakMap<ServerRequest, unknown>();

  constructor(
    @Inject(UPLOAD_SETTINGS) settings: UploadSettings,
    store: TusStore,
    locker: UploadLocks,
    private readonly rows: ResumableUploads,
    completion: UploadCompletion,
  ) {
    this.server = new Server({
      path: TUS_PATH,
      datastore: store,
      locker,
      maxSize: settings.maxUploadBytes,
      namingFunction: () => newId(),
      generateUrl: (_request, { id }) => `${TUS_PATH}/${id}/`,
      onUploadCreate: async (request, { id, size = 0, metadata = {} }) => {
        checkMetadata(metadata, settings.ocrLanguages);
        await this.rows.create({ id, ownerId: ownerOf(request), sizeBytes: size, metadata });
        return {};
      },
      onUploadFinish: async (_request, { id }) => {
        const uid = await completion.complete(id);
        return uid === null ? {} : { headers: { [DOCUMENT_UID]: uid } };
      },
      onResponseError: (request, error) => {
        this.failures.set(request, error);
        return undefined;
      },
    });
  }

  /** @returns the answer of the protocol, which is a success @throws DomainError for everything else */
  async handle(request: Request): Promise<Response> {
    refuseUnreadable(request.get('upload-metadata') ?? '');
    const asked = new NodeRequest({ req: request });
    const answer = await this.server.handleWeb(asked);
    if (answer.status < 400) return answer;
    const refused = { status_code: answer.status, body: await answer.text() };
    throw fromTus(this.failures.get(asked) ?? refused);
  }
}

function ownerOf(request: ServerRequest): number {
  const asked: object | undefined = request.runtime?.node?.req;
  const { user } = (asked ?? {}) as { user?: Principal | null };
  if (!user) throw new TypeError('Only people who are signed in can upload.');
  return user.userId;
}
