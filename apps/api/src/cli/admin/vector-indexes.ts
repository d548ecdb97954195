import { NotFoundError } from '@app/common';
import { SignBitIndexes } from '@app/retrieval';
import { DataSource, type DataSourceOptions } from 'typeorm';

interface VectorIndex {
  name: string;
  dimensions: number;
  ready: boolean;
}

/** Works on a connection without deadlines: an index over a million vectors takes minutes. */
async function onPatientConnection<T>(source: DataSource, work: (indexes: SignBitIndexes) => Promise<T>): Promise<T> {
  const { extra } = source.options as { extra?: object };
  const changed = { poolSize: 1, extra: { ...extra, statement_timeout: 0, query_timeout: 0 } };
  const patient = await new DataSource({ ...source.options, ...changed } as DataSourceOptions).initialize();
  try {
    return await work(new SignBitIndexes(patient));
  } finally {
    await patient.destroy();
  }
}

export function listVectorIndexes(source: DataSource): Promise<VectorIndex[]> {
  return new SignBitIndexes(source).list();
}

/** @throws NotFoundError where the server does not offer pgvector */
export function buildVectorIndexes(source: DataSource): Promise<VectorIndex[]> {
  return onPatientConnection(source, async (indexes) => {
    if ((await indexes.build()) === null)
      throw new NotFoundError('This Postgres does not offer the extension "vector" (pgvector). Searches do without.');
    return indexes.list();
  });
}

export function dropVectorIndexes(source: DataSource): Promise<{ dropped: string[] }> {
  return onPatientConnection(source, async (indexes) => ({ dropped: await indexes.drop() }));
}
