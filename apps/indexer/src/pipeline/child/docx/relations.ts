import { posix } from 'node:path';
import type { Archive } from '../archive.js';
import { childrenOf } from '../markup/element.js';

export interface Relation {
  id: string;
  /** The last part of its type: `header`, `comments`, `slide`. */
  type: string;
  /** Name of the part in the archive. */
  target: string;
}

/** What a part of an Open XML file refers to, in the order of the file; nothing when it refers to none. */
export async function relationsOf(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const root = await archive.readXml(posix.join(folder, '_rels', `${posix.basename(part)}.rels`));
  return childrenOf(root ?? undefined, 'rel:Relationship')
    .filter(({ attributes }) => attributes['TargetMode'] !== 'External')
    .map(({ attributes: { Id: id = '', Type: type = '', Target: target = '' } }) => ({
      id,
      type: type.split('/').at(-1) ?? '',
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    }));
}
