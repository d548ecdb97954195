import type { ResultPicture, ToolCallContext } from '@app/agents';
import type { StoragePort, Viewer } from '@app/workflow-definition';
import { pictureTypeOf } from './picture-type.js';

const FOLDER = 'agent';

export interface GivenFile {
  name: string;
  mimeType: string;
  data: Buffer;
}

/** What servers give beside text, as files of the user. */
export interface KeptFiles {
  files: string[];
  /** Those of them that a model can be shown. */
  pictures: ResultPicture[];
}

export async function keepServerFiles(
  storage: StoragePort | undefined,
  viewer: Viewer,
  given: readonly GivenFile[],
  { idempotencyKey, signal }: Pick<ToolCallContext, 'idempotencyKey' | 'signal'>,
): Promise<KeptFiles> {
  const kept: KeptFiles = { files: [], pictures: [] };
  if (!storage) return kept;
  for (const [index, { name, mimeType, data }] of given.entries()) {
    const mediaType = pictureTypeOf(data);
    const file = {
      name: `${FOLDER}/${name}`,
      mimeType: mediaType ?? mimeType,
      content: data,
      idempotencyKey: `${idempotencyKey}:${index}`,
    };
    const { mediaPath } = await storage.write(viewer, file, signal);
    kept.files.push(mediaPath);
    if (mediaType !== null) kept.pictures.push({ file: mediaPath, mediaType });
  }
  return kept;
}
