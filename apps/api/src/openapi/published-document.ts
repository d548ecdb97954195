import type { OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document, made once after all routes are there: describing them takes seconds of a processor. */
export class PublishedDocument {
  private describe: () => OpenAPIObject = () => {
    throw new Error('Nobody has said how the api is described.');
  };
  private made: { document: OpenAPIObject; json: string } | undefined;

  /** Called by whoever puts the app together. */
  describeWith(describe: () => OpenAPIObject): void {
    this.describe = describe;
  }

  /** Makes the document, unless it is made: before requests come, since it holds up whatever else the process does. */
  make(): { document: OpenAPIObject; json: string } {
    if (!this.made) {
      const document = this.describe();
      this.made = { document, json: JSON.stringify(document) };
    }
    return this.made;
  }

  get json(): string {
    return this.make().json;
  }
}
