export { AUDIT_ACTIONS, type AuditAction } from './actions.js';
export { AuditChain } from './audit-chain.js';
export { type AuditEntry, AuditLog } from './audit-log.js';
export { type AuditFilter, type AuditPage, AuditReader, type AuditRecord } from './audit-reader.js';
export { AuditModule } from './audit.module.js';
