import { Readable } from 'node:stream';
import type { _Object, S3Client } from '@aws-sdk/client-s3';
import type { EgressGuard } from '../../guarded-fetch/egress-guard.js';
import { SourceConnector, type SourceItem, type SourcePage } from '../source-connector.port.js';
import { cappedBody } from '../../guarded-fetch/capped-body.js';
import { toSourceError } from '../egress-failure.js';
import { toS3Failure } from './s3-failure.js';

export interface S3Settings {
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const PAGE = 500;

/** Some megabytes of each process: for those that meet such a source. */
const loadLibrary = () => import('@aws-sdk/client-s3');
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** S3 and what speaks its protocol. Every listing is one of everything: the protocol tells no changes. */
export class S3Connector extends SourceConnector {
  private client: S3Client | null = null;

  constructor(
    private readonly settings: S3Settings,
    private readonly guard: EgressGuard,
  ) {
    super();
  }

  async test(signal?: AbortSignal): Promise<void> {
    await this.listObjects(undefined, 1, signal);
  }

  async list(cursor: string | null, signal?: AbortSignal): Promise<SourcePage> {
    const page = await this.listObjects(cursor ?? undefined, PAGE, signal);
    const items = (page.Contents ?? []).filter(isFile).map((object) => this.toItem(object));
    const isLast = page.IsTruncated !== true || !page.NextContinuationToken;
    return { items, removedIds: [], cursor: isLast ? null : page.NextContinuationToken!, isLast };
  }

  async open(item: SourceItem, signal?: AbortSignal): Promise<Readable> {
    const { Body: body } = await this.call(async (client, { GetObjectCommand }) => {
      const command = new GetObjectCommand({ Bucket: this.settings.bucket, Key: item.id });
      return client.send(command, signal ? { abortSignal: signal } : {});
    }, signal);
    if (!(body instanceof Readable)) return Readable.from([]);
    return cappedBody(body, Number.MAX_SAFE_INTEGER, toS3Failure, signal);
  }

  async close(): Promise<void> {
    // The agents are shared: `client.destroy()` would end other clients' connections.
  }

  private listObjects(token: string | undefined, limit: number, signal: AbortSignal | undefined) {
    const { bucket, prefix } = this.settings;
    return this.call(async (client, { ListObjectsV2Command }) => {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        MaxKeys: limit,
        ...(prefix === '' ? {} : { Prefix: prefix }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      return client.send(command, signal ? { abortSignal: signal } : {});
    }, signal);
  }

  private async call<T>(
    send: (client: S3Client, library: Library) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      this.guard.checkUrl(this.settings.endpoint);
      const library = await loadLibrary();
      this.client ??= this.createClient(library);
      return await send(this.client, library);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw toS3Failure(toSourceError(error));
    }
  }

  private createClient({ S3Client }: Library): S3Client {
    const { endpoint, region, accessKeyId, secretAccessKey } = this.settings;
    return new S3Client({
      endpoint,
      region,
      // The bucket in the path: as a part of the host's name it could make another host of it.
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      requestHandler: {
        httpAgent: this.guard.agents.http,
        httpsAgent: this.guard.agents.https,
        connectionTimeout: 5000,
        socketTimeout: 30_000,
      },
      maxAttempts: 2,
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }

  private toItem({ Key: key = '', ETag: etag, Size: size, LastModified: modifiedAt }: _Object): SourceItem {
    const { prefix } = this.settings;
    // "reports/2026" as a prefix means a folder, or the beginning of names in one.
    const root = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const relative = key.startsWith(root) ? key.slice(root.length) : key;
    const slash = relative.lastIndexOf('/');
    return {
      id: key,
      name: relative.slice(slash + 1),
      path: slash < 0 ? '' : relative.slice(0, slash),
      size: size ?? null,
      modifiedAt: modifiedAt ?? null,
      etag: etag ?? null,
    };
  }
}

/** Consoles make empty objects that end in a slash, to show folders. */
function isFile({ Key: key }: _Object): boolean {
  return key !== undefined && key !== '' && !key.endsWith('/');
}
