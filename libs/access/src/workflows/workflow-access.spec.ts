import { ForbiddenError, NotFoundError } from '@app/common';
import { decideWorkflowAccess, type WorkflowRole } from './workflow-access.js';

describe('decideWorkflowAccess', () => {
  const roles: (WorkflowRole | null)[] = [null, 'viewer', 'editor', 'owner'];

  it.each([
    ['viewer', [NotFoundError, null, null, null]],
    ['editor', [NotFoundError, ForbiddenError, null, null]],
    ['owner', [NotFoundError, ForbiddenError, ForbiddenError, null]],
  ] as const)('for what needs a role of %s', (needed, expected) => {
    for (const [index, role] of roles.entries()) {
      const decide = () => decideWorkflowAccess(role, needed);
      const error = expected[index];
      if (error) expect(decide).toThrow(error);
      else expect(decide).not.toThrow();
    }
  });
});
