import { ErasureRegistry, exportedRow, type ExportedColumns, type ExportedFile, type OwnedData } from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Readable } from 'node:stream';
import { DataSource, type EntityManager } from 'typeorm';
import { removeTiles } from './tiles-of-artifact.js';

const ARTIFACTS: ExportedColumns = {
  table: 'artifacts',
  exported: ['id', 'title', 'kind', 'version', 'workflow_id', 'created_at', 'updated_at'],
  withheld: {
    owner_id: 'whose copy it is',
    refreshes: 'a count for results that are kept',
    publish_key: 'by which a workflow or a turn finds it',
  },
};

const VERSIONS: ExportedColumns = {
  table: 'artifact_versions',
  exported: ['version', 'title', 'queries', 'sources', 'change_note', 'created_at'],
  withheld: {
    artifact_id: 'they stand in their artifact',
    html: 'a file of its own beside it',
    publish_key: 'by which a workflow or a turn finds it',
  },
};

/** Pages are up to 2 MB, in a hundred versions: so many artifacts a statement. */
const BATCH = 10;

/** An account's pages with all their versions. What their queries gave is made again from their sources. */
@Injectable()
export class OwnedArtifacts implements OwnedData, OnModuleInit {
  readonly name = 'artifacts';
  readonly tables = ['artifacts', 'artifact_versions', 'artifact_results'];
  readonly columns = [ARTIFACTS, VERSIONS];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM artifacts WHERE owner_id = $1',
      [userId],
    );
    return count;
  }

  /** Versions, results and links go by their foreign keys; boards of others stay, without its tiles. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const artifacts = await tx.query<{ id: string }[]>(
      `SELECT id FROM artifacts WHERE owner_id = $1 ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE`,
      [userId],
    );
    for (const { id } of artifacts) await removeTiles(tx, id);
    await tx.query('DELETE FROM artifacts WHERE id = ANY($1::uuid[])', [artifacts.map(({ id }) => id)]);
    return artifacts.length;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const artifacts = await this.dataSource.query<{ id: string; row: unknown; versions: number[] }[]>(
      `SELECT a.id, ${exportedRow(ARTIFACTS, 'a')} AS row,
         ARRAY(SELECT v.version FROM artifact_versions v WHERE v.artifact_id = a.id ORDER BY v.version) AS versions
       FROM artifacts a WHERE a.owner_id = $1 ORDER BY a.id`,
      [userId],
    );
    if (artifacts.length === 0) return;
    const index = artifacts.map(({ row }) => row);
    yield { path: 'artifacts/index.json', content: JSON.stringify(index, null, 2) };
    // A version at a time: all of them together may be more than a process can hold.
    for (const { id, versions } of artifacts)
      for (const version of versions) {
        const file = `artifacts/${id}/version-${version}`;
        yield { path: `${file}.json`, content: async () => Readable.from([await this.readRow(id, version)]) };
        yield { path: `${file}.html`, content: async () => Readable.from([await this.readPage(id, version)]) };
      }
  }

  /** Empty where it was deleted meanwhile. */
  private async readRow(artifactId: string, version: number): Promise<string> {
    const [found] = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(VERSIONS, 'v')} AS row FROM artifact_versions v WHERE artifact_id = $1 AND version = $2`,
      [artifactId, version],
    );
    return found ? JSON.stringify(found.row, null, 2) : '';
  }

  /** Empty where it was deleted meanwhile. */
  private async readPage(artifactId: string, version: number): Promise<string> {
    const [row] = await this.dataSource.query<{ html: string }[]>(
      'SELECT html FROM artifact_versions WHERE artifact_id = $1 AND version = $2',
      [artifactId, version],
    );
    return row?.html ?? '';
  }
}
