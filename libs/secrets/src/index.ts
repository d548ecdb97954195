export { KeyRing } from './key-ring.js';
export { type SealedPlace, sealedPrefix, SealingService, UnsealableError } from './sealing.service.js';
export { SecretsModule } from './secrets.module.js';
export { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';
