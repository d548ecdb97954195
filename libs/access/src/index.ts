export {
  decideDocumentAccess,
  findDocumentRole,
  visibleDocument,
  visibleDocumentUids,
  type DocumentAction,
  type DocumentRole,
} from './documents/document-access.js';
