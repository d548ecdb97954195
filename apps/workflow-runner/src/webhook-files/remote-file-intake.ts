import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newId, UnavailableError } from '@app/common';
import {
  type DocumentStore,
  type FileScreening,
  normalizeFolder,
  sanitizeFilename,
  UploadRejectedError,
} from '@app/documents';
import { StorageLimitExceededError, type StorageQuota } from '@app/entitlements';
import { EgressError, type GuardedFetch } from '@app/integrations';
import { ClaimLostError, type Claim } from '@app/work';
import type { ClaimedFetch, RequestFetches } from '@app/workflows';
import { remoteFilename } from './remote-filename.js';

/** docs/contract/reliability.md#addresses-of-users. */
const FETCH_MS = 30_000;
const MAX_BYTES = 50 * 1024 * 1024;
const ABANDONED_AFTER_MS = 3_600_000;
const PASSING_STATUS = [408, 425, 429];

/** Why a file was not taken. */
export class RemoteFileError extends Error {
  constructor(
    message: string,
    /** True: it may work later. */
    readonly isPassing: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'RemoteFileError';
  }
}

export interface IntakeLimits {
  /** For downloads under way. */
  folder: string;
  maxBytes: number;
}

/** Turns a file that a webhook call names into a document of the workflow's owner. */
export class RemoteFileIntake {
  private readonly maxBytes: number;

  constructor(
    private readonly fetcher: GuardedFetch,
    private readonly screening: FileScreening,
    private readonly quota: StorageQuota,
    private readonly store: DocumentStore,
    private readonly fetches: RequestFetches,
    private readonly limits: IntakeLimits,
  ) {
    this.maxBytes = Math.min(MAX_BYTES, limits.maxBytes);
  }

  /** @throws RemoteFileError, ClaimLostError, or the signal's reason */
  async take(claim: Claim<ClaimedFetch>, file: { position: number; url: string }, signal: AbortSignal): Promise<void> {
    const path = join(this.limits.folder, newId());
    try {
      const { filename, sizeBytes } = await this.download(file.url, path, signal);
      await this.keep(claim, file.position, { path, filename, sizeBytes });
    } catch (error) {
      signal.throwIfAborted();
      throw asRemoteFileError(error);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** What a process that was killed in mid-download has left. */
  async removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.limits.folder).catch(() => [])) {
      const path = join(this.limits.folder, name);
      const found = await stat(path).catch(() => null);
      if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
    }
  }

  private async download(
    url: string,
    path: string,
    signal: AbortSignal,
  ): Promise<{ filename: string; sizeBytes: number }> {
    const response = await this.fetcher.request(url, { signal, timeoutMs: FETCH_MS, maxBytes: this.maxBytes });
    const { status, headers, body } = response;
    if (status !== 200) {
      body.destroy();
      throw new RemoteFileError(
        `The host answers with status ${status}.`,
        status >= 500 || PASSING_STATUS.includes(status),
      );
    }
    await mkdir(this.limits.folder, { recursive: true });
    const target = createWriteStream(path, { flags: 'wx', mode: 0o640 });
    await pipeline(body, target, { signal });
    return { filename: remoteFilename(url, headers), sizeBytes: target.bytesWritten };
  }

  private async keep(
    claim: Claim<ClaimedFetch>,
    position: number,
    file: { path: string; filename: string; sizeBytes: number },
  ): Promise<void> {
    const { path, filename, sizeBytes } = file;
    const { kind, mimeType } = await this.screening.screen({ path, filename, sizeBytes });
    const room = await this.quota.reserve(claim.row.ownerId, sizeBytes);
    const document = {
      ownerId: claim.row.ownerId,
      folder: folderOf(claim.row),
      filename,
      sourcePath: path,
      kind,
      mimeType,
      ocr: false,
      train: true,
      externalDriveItemId: null,
    };
    try {
      await this.store.add(document, async ({ uid: documentUid }, tx) => {
        await room.settle(sizeBytes, tx);
        await this.fetches.stored(claim, position, { filename, documentUid, mimeType, sizeBytes }, tx);
      });
    } finally {
      await room.release();
    }
  }
}

/** Where the owner finds them. */
function folderOf({ workflowName }: ClaimedFetch): string {
  return normalizeFolder(`Webhooks/${sanitizeFilename(workflowName.replaceAll(/[/\\]+/g, '-'))}`);
}

/** What the file or its host is at fault for; anything else is a fault of ours, and passes. */
function asRemoteFileError(error: unknown): Error {
  if (error instanceof RemoteFileError || error instanceof ClaimLostError) return error;
  if (error instanceof EgressError)
    return new RemoteFileError(error.message, error.failure === 'timeout' || error.failure === 'unreachable', error);
  if (error instanceof UploadRejectedError) return new RemoteFileError(error.reasons.join(' '), false, error);
  if (error instanceof StorageLimitExceededError) return new RemoteFileError(error.message, false, error);
  if (error instanceof UnavailableError) return new RemoteFileError(error.message, true, error);
  return new RemoteFileError('The file could not be stored.', true, error);
}
