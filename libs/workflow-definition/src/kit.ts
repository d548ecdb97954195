/** What kinds of nodes are made of, without database or queue: processes that do only their work load this alone. */
export { defineKind } from './tools/define-tool.js';
export { param } from './tools/param.js';
export type { Tool, ToolContext, ToolResult } from './tools/tool.js';
export { nearestName } from './tools/nearest-name.js';
export { ToolError } from './tool-error.js';
export type { SandboxPort, ToolPorts, Viewer } from './tools/ports.js';
export { toPath, valueAt } from './references/reference.js';
export { compileParams, lookUp, type ReferenceScope } from './references/params-template.js';
export { bodyItemOf } from './references/reference-scope.js';
export { isTimeZone } from './values/time-zone.js';
export { SLOT_KEY } from './payload/slot-key.js';
export { REQUEST_KEY } from './payload/webhook-payload.js';
export { type JsonSize, measureJson } from './values/json-size.js';
export { MAX_CELL_LENGTH, sheetText, tableOf } from './values/table-of.js';
export { writeJson } from './values/json-text.js';
export { toOutputHint } from './values/output-kind.js';
export * from './tools/apart-work.js';
