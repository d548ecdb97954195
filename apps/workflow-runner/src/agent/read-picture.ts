import type { ReadPicture } from '@app/agents';
import { type StoragePort, ToolError, type Viewer } from '@app/workflow-definition';
import { MAX_PICTURE_BYTES, pictureTypeOf } from './picture-type.js';

/** Reads the pictures of results again, as what they are now, with the rights that the user has now. */
export function pictureReader(storage: StoragePort | undefined, viewer: Viewer): ReadPicture {
  return async ({ file }) => {
    if (!storage) return null;
    try {
      const found = await storage.find(viewer, file);
      if (found.sizeBytes > MAX_PICTURE_BYTES) return null;
      const chunks: Uint8Array[] = [];
      for await (const chunk of found.open()) chunks.push(chunk);
      const data = Buffer.concat(chunks);
      const mediaType = pictureTypeOf(data);
      return mediaType === null ? null : { mediaType, data };
    } catch (error) {
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
}
