import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';

const pack = promisify(gzip);

/** The OpenAPI document, made once after all routes are there: describing them takes seconds of a processor. */
export class PublishedDocument {
  private describe: () => OpenAPIObject = () => {
    throw new Error('Nobody has said how the api is described.');
  };
  private made: Buffer | undefined;
  private digest: string | undefined;
  private packing: Promise<Buffer> | undefined;

  /** Called by whoever puts the app together. */
  describeWith(describe: () => OpenAPIObject): void {
    this.describe = describe;
  }

  /**
   * Makes the document, unless it is made: before requests come, since it holds up whatever else the process does.
   * @returns its JSON in bytes, the only form that is kept: as objects and as a string it took 12 MB of each api
   */
  make(): Buffer {
    this.made ??= Buffer.from(JSON.stringify(this.describe()));
    return this.made;
  }

  /** In quotation marks, as it stands in a header; of the document, however it is packed. */
  get etag(): string {
    this.digest ??= createHash('sha256').update(this.make()).digest('base64url');
    return `"${this.digest}"`;
  }

  /** @returns the same by gzip, a tenth of its bytes: packed in another thread when somebody first asks for it */
  packed(): Promise<Buffer> {
    this.packing ??= pack(this.make());
    return this.packing;
  }

  /** For whoever opens the pages of the reference, which keep what they get. */
  parsed(): OpenAPIObject {
    return JSON.parse(this.make().toString()) as OpenAPIObject;
  }
}
