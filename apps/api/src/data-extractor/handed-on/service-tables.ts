import { ForbiddenError } from '@app/common';
import { type ExtractorCaller, ExtractorService } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import {
  isSameEmail,
  readAnswer,
  SERVICE_ANSWERS,
  type ServiceDatabase,
  type ServiceTable,
} from './service-answers.js';

/** On whose behalf something is asked, until nobody waits for it any more. */
export interface ServiceAsker {
  caller: ExtractorCaller;
  signal: AbortSignal;
}

/** A service that knows it leaves the rows out; what it sends with them is as good. */
const WITHOUT_ROWS = { include_rows: 'false' };

/**
 * Whose the tables of the service are. It is told for whom it works, and what it answers is not believed to be theirs:
 * only what carries the caller's own address is shown to them, or changed.
 */
@Injectable()
export class ServiceTables {
  constructor(private readonly service: ExtractorService) {}

  async list(asker: ServiceAsker, organization?: string): Promise<ServiceTable[]> {
    const answer = await this.service.json({
      method: 'GET',
      path: ['tables'],
      query: scope(asker, organization),
      ...asker,
    });
    const { tables } = readAnswer(SERVICE_ANSWERS.tables, answer);
    return tables.filter(({ email }) => isSameEmail(email, asker.caller.email));
  }

  /** @throws ForbiddenError `table_forbidden` when one of them is not the caller's */
  async some(asker: ServiceAsker, ids: readonly string[], query: Record<string, string> = {}): Promise<ServiceTable[]> {
    const asked = { ...query, ...scope(asker), ids: ids.join(',') };
    const answer = await this.service.json({ method: 'GET', path: ['table'], query: asked, ...asker });
    const { tables } = readAnswer(SERVICE_ANSWERS.tables, answer);
    return ids.map((id) => {
      const found = tables.find((table) => table.table_id === id);
      if (!found || !isSameEmail(found.email, asker.caller.email)) throw forbidden();
      return found;
    });
  }

  /** @throws ForbiddenError `table_forbidden`; NotFoundError `table_not_found` as the service says */
  async get(asker: ServiceAsker, id: string, query: Record<string, string> = {}): Promise<ServiceTable> {
    const path = ['table', id];
    const answer = await this.service.json({ method: 'GET', path, query: { ...query, ...scope(asker) }, ...asker });
    const table = readAnswer(SERVICE_ANSWERS.table, answer);
    if (table.table_id !== id || !isSameEmail(table.email, asker.caller.email)) throw forbidden();
    return table;
  }

  /** @throws as `get` */
  async requireOwn(asker: ServiceAsker, id: string): Promise<void> {
    await this.get(asker, id, WITHOUT_ROWS);
  }

  /** @throws as `some` */
  async requireAllOwn(asker: ServiceAsker, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.some(asker, ids, WITHOUT_ROWS);
  }

  async databases(asker: ServiceAsker, organization?: string): Promise<ServiceDatabase[]> {
    const query = scope(asker, organization);
    const answer = await this.service.json({ method: 'GET', path: ['tables_database'], query, ...asker });
    const { tables_databases: databases } = readAnswer(SERVICE_ANSWERS.databases, answer);
    return databases.filter(({ email }) => isSameEmail(email, asker.caller.email));
  }

  /** @throws ForbiddenError `tables_database_forbidden` */
  async database(asker: ServiceAsker, id: string): Promise<ServiceDatabase> {
    const path = ['tables_database', id];
    const answer = await this.service.json({ method: 'GET', path, query: scope(asker), ...asker });
    const database = readAnswer(SERVICE_ANSWERS.database, answer);
    if (database.tables_database_id !== id || !isSameEmail(database.email, asker.caller.email))
      throw new ForbiddenError('You do not have access to these tables.', { code: 'tables_database_forbidden' });
    return database;
  }
}

/** As services take it that look at queries alone. */
export function scope({ caller }: ServiceAsker, organization?: string): Record<string, string> {
  return { email: caller.email, ...(organization ? { organization_name: organization } : {}) };
}

function forbidden(): ForbiddenError {
  return new ForbiddenError('You do not have access to this table.', { code: 'table_forbidden' });
}
