import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { FileMissingError, parseFileKey } from './file-key.js';
import { FileStorage, type ByteRange, type LocalFile, type OpenedFile, type StoredFile } from './file-storage.port.js';
import { createS3Client, type S3ClientOptions } from './s3-client.js';
import { isInvalidRange, isMissingObject, toStorageError } from './s3-errors.js';
import { ScratchFiles } from './scratch-files.js';

export interface S3StorageOptions extends S3ClientOptions {
  bucket: string;
  /** Put before every key; may end in a slash. */
  prefix: string;
  /** Folder of this machine for the copies that `localPath` gives. */
  scratchFolder: string;
}

/** 10,000 parts are the most that S3 takes: 80 GB. Three of them are on their way at a time, per file. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 3;
const ANSWER_WITHIN_MS = 10_000;
const HEALTH_TIMEOUT_MS = 5000;

/**
 * Keeps files in a bucket of S3, or of a service that speaks its protocol. An object appears when its last byte has
 * arrived. Transfers that stand still for a minute are given up.
 */
export class S3Storage extends FileStorage {
  private readonly client: S3Client;
  private readonly scratch: ScratchFiles;
  private readonly bucket: string;
  private readonly prefix: string;
  /** For whatever carries no bytes to the service. */
  private readonly quick: { requestTimeout: number };

  constructor({ bucket, prefix, scratchFolder, ...clientOptions }: S3StorageOptions) {
    super();
    this.client = createS3Client(clientOptions);
    this.scratch = new ScratchFiles(scratchFolder);
    this.bucket = bucket;
    this.prefix = prefix;
    this.quick = { requestTimeout: Math.min(clientOptions.timeoutMs ?? Infinity, ANSWER_WITHIN_MS) };
  }

  /** Parts that a killed process has sent stay in the bucket; a lifecycle rule of the bucket removes them. */
  async put(
    key: string,
    source: Readable | { path: string },
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<StoredFile> {
    const target = this.objectOf(key);
    const stream = source instanceof Readable ? source : createReadStream(source.path);
    const body = new MeasuredBody();
    // Whoever fails first ends the other: a broken source the upload, which takes back its parts, and vice versa.
    let sourceBroke = false;
    stream.once('error', () => (sourceBroke = !body.destroyed));
    const fed = pipeline(stream, body, { signal }).then(
      () => null,
      (error: unknown) => error,
    );
    try {
      await new Upload({
        client: this.client,
        params: { ...target, Body: body },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      }).done();
      await fed;
      return body.measured();
    } catch (error) {
      body.destroy();
      const sourceError = await fed;
      const isSource = sourceBroke || signal?.aborted || sourceError === error;
      throw isSource ? (sourceError ?? error) : toStorageError(error, key);
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile> {
    const target = this.objectOf(key);
    if (range?.end !== undefined && range.end < range.start) return this.openNothing(key);
    try {
      const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
      const answer = await this.client.send(
        new GetObjectCommand({ ...target, ...(Range ? { Range } : {}) }),
        this.quick,
      );
      const total = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1] ?? answer.ContentLength;
      const isWhole = answer.ContentRange === undefined;
      if (!(answer.Body instanceof Readable) || total === undefined || (range && isWhole))
        throw new Error('An answer to another question.');
      return { stream: answer.Body, sizeBytes: Number(total) };
    } catch (error) {
      if (range && isInvalidRange(error)) return this.openNothing(key);
      throw toStorageError(error, key);
    }
  }

  async stat(key: string): Promise<{ sizeBytes: number; modifiedAt: Date } | null> {
    const target = this.objectOf(key);
    try {
      const { ContentLength, LastModified } = await this.client.send(new HeadObjectCommand(target), this.quick);
      return { sizeBytes: ContentLength ?? 0, modifiedAt: LastModified ?? new Date(0) };
    } catch (error) {
      if (!isMissingObject(error)) throw toStorageError(error, key);
    }
    await this.requireBucket(target);
    return null;
  }

  async localPath(key: string): Promise<LocalFile> {
    const { stream } = await this.open(key);
    try {
      return await this.scratch.write(stream);
    } catch (error) {
      throw toStorageError(error, key);
    }
  }

  async delete(key: string): Promise<void> {
    try {
      await this.client.send(new DeleteObjectCommand(this.objectOf(key)), this.quick);
    } catch (error) {
      if (!isMissingObject(error)) throw toStorageError(error, key);
    }
  }

  removeAbandoned(): Promise<number> {
    return this.scratch.removeAbandoned();
  }

  /** Writes a small object: a bucket that can be read only is of no use. */
  async health(): Promise<void> {
    const abortSignal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const probe = { Bucket: this.bucket, Key: `${this.prefix}.health`, Body: 'ok' };
    try {
      await this.client.send(new PutObjectCommand(probe), { abortSignal });
    } catch (error) {
      throw toStorageError(error, probe.Key);
    }
  }

  private objectOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + parseFileKey(key).join('/') };
  }

  /** A range in which the file has no bytes. */
  private async openNothing(key: string): Promise<OpenedFile> {
    const found = await this.stat(key);
    if (!found) throw new FileMissingError(key);
    return { stream: Readable.from([]), sizeBytes: found.sizeBytes };
  }

  /** The answer to HEAD has no body, so that a missing bucket looks like a missing object. */
  private async requireBucket(target: { Bucket: string; Key: string }): Promise<void> {
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ ...target, Range: 'bytes=0-0' }), this.quick);
      if (Body instanceof Readable) Body.destroy();
    } catch (error) {
      if (!isMissingObject(error)) throw toStorageError(error, target.Key);
    }
  }
}

/** Passes bytes on, and knows how many and which. */
class MeasuredBody extends Transform {
  private readonly hash = createHash('sha256');
  private sizeBytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.hash.update(chunk);
    this.sizeBytes += chunk.length;
    done(null, chunk);
  }

  /** Once, at the end. */
  measured(): StoredFile {
    return { sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex') };
  }
}
