/** The OpenAPI document as JSON text, made once after all routes are there. */
export class PublishedDocument {
  json = '';
}
