import { NotFoundError } from '@app/common';

export const tableNotFound = () => new NotFoundError('Table not found.', { code: 'table_not_found' });
