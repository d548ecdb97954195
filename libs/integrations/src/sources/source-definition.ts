import type { z } from 'zod';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import type { SourceConnector } from './source-connector.port.js';

export const SOURCE_TYPES = ['s3', 'folder', 'sql', 'sharepoint'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What the deployment allows and knows. */
export interface SourceSettings {
  /** Folders of this machine below which sources may lie. */
  folders: readonly string[];
  /** Rows that a table may have. */
  maxRows: number;
  graphUrl: string;
  loginUrl: string;
  guard: EgressGuard;
}

/** The one declaration of a kind of source. */
export interface SourceDefinition<C> {
  readonly type: SourceType;
  /** What a batch of its documents is called (docs/contract/documents.md#batches). */
  readonly batchType: 'direct' | 'sharepoint' | 'sql';
  readonly config: z.ZodType<C>;
  /** What the secret is; null when there is none. */
  readonly secret: string | null;
  /** To whom the secret is sent: one that was given for another is not sent there. */
  destinationOf(config: C): string;
  connect(config: C, secret: string, settings: SourceSettings): SourceConnector;
}

export function defineSource<C>(definition: SourceDefinition<C>): SourceDefinition<C> {
  return Object.freeze(definition);
}
