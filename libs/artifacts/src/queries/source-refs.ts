import { InvalidRequestError, isUuid, NotFoundError } from '@app/common';

/** What a ref names: a table file by its uid in lower case, or a data source by its id. */
export type SourceRef = { kind: 'file'; uid: string } | { kind: 'database'; id: number };

const REF = /^(?:file:(?<uid>.+)|ds:(?<id>\d{1,10}))$/;

/** @throws InvalidRequestError `invalid_source` */
export function parseSourceRef(ref: string): SourceRef {
  const { uid, id } = REF.exec(ref)?.groups ?? {};
  if (uid !== undefined && isUuid(uid)) return { kind: 'file', uid: uid.toLowerCase() };
  if (id !== undefined) return { kind: 'database', id: Number(id) };
  throw new InvalidRequestError(`"${ref.slice(0, 100)}" names no source: write file:<uid> or ds:<id>.`, {
    code: 'invalid_source',
  });
}

export const sourceNotFound = (ref: string): NotFoundError =>
  new NotFoundError(`There is no source ${ref}.`, { code: 'source_not_found' });
