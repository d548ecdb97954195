export {
  decideDocumentAccess,
  findDocumentRole,
  visibleDocument,
  visibleDocumentParts,
  visibleDocumentUids,
  type DocumentAction,
  type DocumentRole,
} from './documents/document-access.js';
export {
  allowsWorkflow,
  decideWorkflowAccess,
  findWorkflowRole,
  visibleWorkflowIds,
  workflowRole,
  type WorkflowNeed,
  type WorkflowRole,
} from './workflows/workflow-access.js';
