import type { CatalogueOutlet } from './outlet.js';
import type { SideEffects } from './tool.js';

export type ParamType =
  | 'string'
  | 'text'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'select'
  | 'multiselect'
  | 'object'
  | 'array'
  | 'file'
  | 'code'
  | 'secret'
  | 'connection'
  | 'table'
  | 'document';

/**
 * One parameter as a form shows it (docs/contract/workflows.md#the-catalogue), in wire names: the catalogue goes out
 * as it is.
 */
export interface CatalogueParam {
  name: string;
  label: string;
  type: ParamType;
  required: boolean;
  default: unknown;
  options: { value: string; label: string }[];
  description: string;
  accepts_ref: boolean;
  /** Show it only while these params have these values; null: always. */
  visible_when: Record<string, unknown> | null;
}

/** A Tool of docs/contract/workflows.md#the-catalogue, in wire names. */
export interface CatalogueEntry {
  kind: string;
  name: string;
  description: string;
  category: string;
  icon: string;
  version: string;
  deprecated: boolean;
  is_entry: boolean;
  is_branching: boolean;
  is_batch_processor: boolean;
  is_conversational: boolean;
  side_effects: SideEffects;
  timeout_seconds: number;
  params: CatalogueParam[];
  outlets: CatalogueOutlet[];
  params_schema: Record<string, unknown>;
  output_schema: Record<string, unknown>;
  connections: { type: string; required: boolean }[];
  feature: string | null;
  available: boolean;
  unavailable_reason: string | null;
}
