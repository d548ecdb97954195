import { findVisibleFile, DocumentFolders, listLibrary } from '@app/documents';
import { ServerRecords, StoredTools } from '@app/mcp';
import { listImportedTables } from '@app/tabular';
import { type KnownServer, type KnownThings, WorkflowReader, KnownSecretNames } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const MOST = { files: 60, documents: 300, servers: 10, tools: 100, workflows: 100 };

/** What a person can name in a workflow, with their own rights: names, columns and types, never contents. */
@Injectable()
export class AuthorsThings {
  constructor(
    private readonly dataSource: DataSource,
    private readonly folders: DocumentFolders,
    private readonly servers: ServerRecords,
    private readonly tools: StoredTools,
    private readonly secrets: KnownSecretNames,
    private readonly workflows: WorkflowReader,
  ) {}

  /** @param workflowId whose secrets can be named; null: it is not there yet. For callers who have checked access. */
  async of(userId: number, workflowId: string | null): Promise<KnownThings> {
    const [files, documents, folders, servers, secrets, workflows] = await Promise.all([
      listImportedTables(this.dataSource, userId, '', MOST.files),
      this.listDocuments(userId),
      this.folders.list(userId),
      this.listServers(userId),
      workflowId === null ? null : this.secrets.of(workflowId, userId),
      this.workflows.list(userId, {}, { page: 1, pageSize: MOST.workflows }),
    ]);
    return {
      tableFiles: files.map(({ uid, filename, tables }) => ({
        uid,
        filename,
        tables: tables.map(({ name, rowCount, columns }) => ({
          name,
          rows: rowCount,
          columns: columns.map((column) => ({ name: column.name, type: column.type })),
        })),
      })),
      documents,
      folders: folders.map(({ folder }) => folder),
      servers,
      secrets: secrets === null ? null : [...secrets].sort(),
      workflows: workflows.items.filter(({ id }) => id !== workflowId).map(({ id, name }) => ({ id, name })),
      mayRead: async (uid) => (await findVisibleFile(this.dataSource, userId, uid)) !== null,
    };
  }

  private async listDocuments(userId: number): Promise<KnownThings['documents']> {
    const any = { folder: null, namePart: null, tag: null, createdFrom: null };
    const found = await listLibrary(this.dataSource, userId, { ...any, limit: MOST.documents });
    // Folders of somebody else are not one's own.
    return found.map(({ uid, filename, folder, ownerId }) => ({
      uid,
      filename,
      folder: ownerId === userId ? folder : '',
    }));
  }

  private async listServers(userId: number): Promise<KnownServer[]> {
    const usable = (await this.servers.list(userId)).filter(({ enabled }) => enabled).slice(0, MOST.servers);
    return Promise.all(
      usable.map(async ({ id, slug, label }) => {
        const { items } = await this.tools.list(id, { search: null, state: 'on' }, { page: 1, pageSize: MOST.tools });
        return {
          slug,
          label,
          tools: items.map(({ name, offeredName, description, inputSchema }) => ({
            name,
            offeredName,
            description,
            inputSchema,
          })),
        };
      }),
    );
  }
}
