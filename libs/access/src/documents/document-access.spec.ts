import { ForbiddenError, NotFoundError } from '@app/common';
import { decideDocumentAccess } from './document-access.js';

describe('decideDocumentAccess', () => {
  it('lets owners do everything and readers read', () => {
    expect(() => decideDocumentAccess('owner', 'read')).not.toThrow();
    expect(() => decideDocumentAccess('owner', 'manage')).not.toThrow();
    expect(() => decideDocumentAccess('reader', 'read')).not.toThrow();
  });

  it('tells a reader that the document is not theirs, and a stranger nothing', () => {
    expect(() => decideDocumentAccess('reader', 'manage')).toThrow(ForbiddenError);
    expect(() => decideDocumentAccess(null, 'read')).toThrow(NotFoundError);
    expect(() => decideDocumentAccess(null, 'manage')).toThrow(NotFoundError);
  });
});
