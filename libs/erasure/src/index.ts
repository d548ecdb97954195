export { beingErased } from './being-erased.js';
export { ErasureRegistry } from './erasure-registry.js';
export { ErasureRunner } from './erasure-runner.js';
export { ErasureModule } from './erasure.module.js';
export { Erasures, type ErasureState } from './erasures.js';
export { eachExported, exportedArray, exportedObject, placeOf, type ReadExported } from './exported-json.js';
export { exportedRow, type ExportedColumns } from './exported-columns.js';
export type { ExportedFile, OwnedData } from './owned-data.js';
export { erasureWork, type ClaimedErasure } from './erasure-work.js';
