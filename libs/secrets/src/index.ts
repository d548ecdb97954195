export { KeyRing, type MasterKey } from './key-ring.js';
export { KeyRotation, type Rotatable, type RotationProgress } from './key-rotation.js';
export { type SealedPlace, sealedPrefix, SealingService, UnsealableError } from './sealing.service.js';
export { SecretsModule } from './secrets.module.js';
export { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';
