import type { Principal } from '@app/auth';
import { ForbiddenError } from '@app/common';
import type { SourceType } from '@app/integrations';

/** What lies on the server is not everybody's. @throws ForbiddenError */
export function requireSourceRights({ isStaff }: Principal, type: SourceType): void {
  if (type === 'folder' && !isStaff) throw new ForbiddenError('Folders of the server are for staff.');
}
