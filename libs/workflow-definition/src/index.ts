export * from './graph/graph.js';
export { type DefinitionDiff, diffDefinitions } from './graph/definition-diff.js';
export { connectByEdges } from './connections/connect-by-edges.js';
export { parseSent, requireFlatEnough, requireValidDefinition } from './validation/definition-checks.js';
export { toWireProblem, type WireProblem } from './validation/definition-checks.js';
export { toDefinitionSchema } from './validation/definition-schema.js';
export { warnAboutKinds } from './validation/kind-warnings.js';
export * from './validation/parse-definition.js';
export { secretUses } from './validation/secret-uses.js';
export { compileParams, lookUp, type ParamsTemplate } from './references/params-template.js';
export type { ReferenceScope, ReferenceUse } from './references/params-template.js';
export { Redaction } from './references/redaction.js';
export { isSecretName, type Reference, toPath, valueAt } from './references/reference.js';
export { bodyItemOf } from './references/reference-scope.js';
export { revealSecrets, SecretText } from './references/secret-text.js';
export * from './states/item-state.js';
export * from './states/node-state.js';
export { ToolError } from './tool-error.js';
export * from './tools/apart-work.js';
export * from './tools/approval.js';
export * from './tools/catalogue-entry.js';
export * from './tools/define-tool.js';
export * from './tools/nested-work.js';
export { asStored, contentOf, isObject, keyToText, type Kinds } from './tools/node-contents.js';
export { nodeKey, parentKey, writtenNodes } from './tools/node-contents.js';
export type { CatalogueOutlet, OutletDeclaration } from './tools/outlet.js';
export { nameButForSlip, nearestName, nearestNames, plainly } from './tools/nearest-name.js';
export { outletsOf, targetsAt, withTargets, type NodeOutlet } from './tools/outlet.js';
export { WaysOut } from './connections/way-out.js';
export { param, type ParamMetadata } from './tools/param.js';
export * from './tools/ports.js';
export { coversReach, hostOf, NO_REACH, type NodeReach, reachesOwnThings, reachOf } from './tools/reach.js';
export { type ReachSummary, type ResourceType, summariseReach } from './tools/reach.js';
export * from './tools/tool.js';
export * from './tools/tool-catalogue.js';
export { actorsAfter, contentsOf, NodeActors, type StoredActors } from './actors/node-actors.js';
export { type Steerer, Steering } from './actors/steering.js';
export { SLOT_KEY } from './payload/slot-key.js';
export { type CallRequest, MAX_PAYLOAD_BYTES, readCallPayload, readPayload } from './payload/webhook-payload.js';
export { REQUEST_KEY, withoutSystemKeys } from './payload/webhook-payload.js';
export { type JsonSize, measureJson } from './values/json-size.js';
export { holdsJsonText, jsonList, JsonText, writeJson } from './values/json-text.js';
export { MAX_KEPT_VALUE_BYTES, OUTPUT_TYPES, type OutputHint, outputKind } from './values/output-kind.js';
export { type OutputKind, type OutputType, toOutputHint } from './values/output-kind.js';
export {
  findStoredOutputInPath,
  looksStored,
  MAX_INLINE_OUTPUT_BYTES,
  PREVIEW_LENGTH,
} from './values/stored-output.js';
export { showOutput, STORED_KEY, StoredOutput, storedOutputPath, toStoredOutputView } from './values/stored-output.js';
export { MAX_CELL_LENGTH, type Scalar, sheetText, type Table, tableOf } from './values/table-of.js';
export { endOfGap, firstTransition, instantsOf, isTimeZone, offsetAt } from './values/time-zone.js';
export { importN8n, type ImportedNode, type N8nImport } from './n8n/import-n8n.js';
