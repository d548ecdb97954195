import { Upload, type UploadOptions } from 'tus-js-client';
import type { HttpClient } from './http-client.js';

export interface TusOutcome {
  /** The address of the upload. */
  url: string;
  documentUid: string | undefined;
}

/** An upload by the protocol's own client, without retries unless told. Rejects with what the client says. */
export function tusUpload(
  client: Pick<HttpClient, 'baseUrl' | 'token'>,
  content: Buffer,
  metadata: Record<string, string>,
  options: Partial<UploadOptions> = {},
): { upload: Upload; done: Promise<TusOutcome> } {
  let documentUid: string | undefined;
  let upload!: Upload;
  const done = new Promise<TusOutcome>((resolve, reject) => {
    upload = new Upload(content, {
      endpoint: `${client.baseUrl}/semantic-search/upload/tus/`,
      headers: { authorization: `Token ${client.token}` },
      metadata,
      retryDelays: null,
      onAfterResponse: (_request, response) => {
        documentUid = response.getHeader('X-Document-Uid') ?? documentUid;
      },
      onSuccess: () => resolve({ url: upload.url ?? '', documentUid }),
      onError: reject,
      ...options,
    });
  });
  upload.start();
  return { upload, done };
}

/** One request of the protocol by hand. */
export function tusRequest(
  client: Pick<HttpClient, 'baseUrl' | 'token'>,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  return fetch(new URL(path, client.baseUrl), {
    method,
    headers: { authorization: `Token ${client.token}`, 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

export const metadataOf = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
