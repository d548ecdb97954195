import { createHash } from 'node:crypto';

export interface ServedDocument {
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** Of all that browsers keep of it: what keeps a page in stands in the headers, which they keep beside the body. */
export function versionOf({ body, headers }: ServedDocument): string {
  return createHash('sha256').update(JSON.stringify(headers)).update(body).digest('hex').slice(0, 16);
}
