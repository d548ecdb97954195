import { countLinksToArtifact, renameLinksToArtifact } from '@app/documents';
import { Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';

/** What of a deletion is told beforehand, and was removed (docs/contract/artifacts.md#deletion). */
export interface ArtifactImpact {
  sessions: { count: number; sample: string[] };
  tiles: { count: number; boards: { id: number; name: string }[] };
  links: { count: number };
  files: { count: number; bytes: number };
}

export interface ArtifactDeletion {
  sessions: number;
  tiles: number;
  boards: number;
  files: number;
}

/** Something that belongs to an artifact and goes with it: whoever owns its tables registers one. */
export interface ArtifactPart {
  readonly name: string;
  countFor(artifactId: string, db: DataSource | EntityManager): Promise<Partial<ArtifactImpact>>;
  /** In the transaction of the deletion. What is outside of the database is left to a sweeper by the same transaction. */
  deleteFor(artifactId: string, tx: EntityManager): Promise<Partial<ArtifactDeletion>>;
  /** In the transaction that gives the artifact another title. */
  renamed?(artifactId: string, title: string, tx: EntityManager): Promise<void>;
}

/** Permanent links go by their foreign key. */
const linksPart: ArtifactPart = {
  name: 'links',
  countFor: async (artifactId, db) => ({ links: { count: await countLinksToArtifact(db, artifactId) } }),
  deleteFor: () => Promise.resolve({}),
  renamed: (artifactId, title, tx) => renameLinksToArtifact(tx, artifactId, title),
};

@Injectable()
export class ArtifactParts {
  private readonly parts: ArtifactPart[] = [linksPart];

  /** @throws Error for a name that is taken: the process does not start */
  register(part: ArtifactPart): void {
    if (this.parts.some(({ name }) => name === part.name)) throw new Error(`${part.name} is registered twice.`);
    this.parts.push(part);
  }

  list(): readonly ArtifactPart[] {
    return this.parts;
  }

  /** All that bear the artifact's name follow it. */
  async rename(artifactId: string, title: string, tx: EntityManager): Promise<void> {
    for (const part of this.parts) await part.renamed?.(artifactId, title, tx);
  }
}
