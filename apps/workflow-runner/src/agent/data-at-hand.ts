import { type AgentTool, cutLine } from '@app/agents';
import { documentOverview } from '@app/documents';
import { listImportedTables } from '@app/tabular';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

const TABLES = 20;
const NAMED = 4;
const SHOWN_NAME = 40;
/** Between the names of a server and of its tool. */
const OF_SERVER = '__';

/** What data there is for a question, in three lines: enough to know where to look. */
@Injectable()
export class DataAtHand {
  private readonly logger = new Logger(DataAtHand.name);

  constructor(private readonly dataSource: DataSource) {}

  /** Empty where it cannot be had: a turn goes on without. @param connected tools of connected servers */
  async lines(userId: number, connected: readonly AgentTool[]): Promise<string[]> {
    try {
      const [documents, tables] = await Promise.all([
        documentOverview(this.dataSource, userId),
        listImportedTables(this.dataSource, userId, '', TABLES),
      ]);
      const folders = documents.folders.length > 0 ? `, in folders such as ${named(documents.folders)}` : '';
      const count = `${documents.count}${documents.isMore ? ' or more' : ''}`;
      return [
        `Documents of the user: ${documents.count === 0 ? 'none of their own' : count + folders}; those shared with them are searched as well.`,
        `Table files: ${tables.length === 0 ? 'none' : `${tables.length}${tables.length === TABLES ? ' or more' : ''}, such as ${named(tables.map(({ filename }) => filename))}`}.`,
        `Connected tool servers: ${serversOf(connected)}.`,
      ];
    } catch (error) {
      this.logger.warn(`A turn is not told what data there is: ${String(error)}`);
      return [];
    }
  }
}

function named(names: readonly string[]): string {
  return names
    .slice(0, NAMED)
    .map((name) => JSON.stringify(cutLine(name, SHOWN_NAME)))
    .join(', ');
}

function serversOf(tools: readonly AgentTool[]): string {
  const counts = new Map<string, number>();
  for (const { name } of tools) {
    const server = name.split(OF_SERVER)[0]!;
    counts.set(server, (counts.get(server) ?? 0) + 1);
  }
  const shown = [...counts].slice(0, NAMED).map(([server, count]) => `${server} (${count} tools)`);
  if (shown.length === 0) return 'none';
  return counts.size > NAMED ? `${counts.size}, such as ${shown.join(', ')}` : shown.join(', ');
}
