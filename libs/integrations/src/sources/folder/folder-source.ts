import { z } from 'zod';
import { defineSource } from '../source-definition.js';
import { FolderConnector } from './folder-connector.js';

const config = z.strictObject({
  /** Absolute; it lies in one of the folders that the deployment lists. */
  path: z
    .string()
    .min(1)
    .max(1000)
    .regex(/^\/[^\0]*$/, 'An absolute path is needed.'),
});

/** A folder of the server. */
export const folderSource = defineSource({
  type: 'folder',
  batchType: 'direct',
  config,
  secret: null,
  destinationOf: () => '',
  connect: ({ path }, _secret, { folders }) => new FolderConnector(path, folders),
});
