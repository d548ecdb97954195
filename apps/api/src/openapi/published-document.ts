import type { OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document, made once after all routes are there: describing them takes seconds of a processor. */
export class PublishedDocument {
  private describe: () => OpenAPIObject = () => {
    throw new Error('Nobody has said how the api is described.');
  };
  private made: Buffer | undefined;

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

  /** For whoever opens the pages of the reference, which keep what they get. */
  parsed(): OpenAPIObject {
    return JSON.parse(this.make().toString()) as OpenAPIObject;
  }
}
