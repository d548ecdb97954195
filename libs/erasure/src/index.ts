export { ErasureRegistry } from './erasure-registry.js';
export { ErasureModule } from './erasure.module.js';
export type { ExportedFile, OwnedData } from './owned-data.js';
