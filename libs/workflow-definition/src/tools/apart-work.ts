import type { OutputHint } from '../values/output-kind.js';

/** A JSON value on its way to another process. */
export type HeldJson = { value: unknown } | { text: string } | { path: string };

/** What the references of a node are looked up in, by somebody who has nothing else of the run. */
export interface ApartScope {
  /** Of the nodes that have one. */
  outputs: Record<string, HeldJson>;
  payload: HeldJson | null;
}

/** A node that another process does: its params as the definition has them, and what they refer to. */
export interface ApartTask extends ApartScope {
  kind: string;
  params: Record<string, unknown>;
  /** Nothing in the params is a reference any more, whatever it looks like. */
  isResolved: boolean;
  /** Every node that a reference of it names. */
  nodeIds: string[];
  next: readonly string[];
  /** It starts the run, or its branch: it is given the payload. */
  isTriggered: boolean;
  /** Milliseconds since the epoch. */
  now: number;
  /** Where to write an output that is too large for a message. */
  resultPath: string;
}

export interface ApartSize {
  bytes: number;
  weight: number;
}

export type ApartAnswer =
  | { failed: { code: string; message: string; retryable: boolean }; warnings: string[] }
  | {
      size: ApartSize;
      /** The output as JSON text, or the beginning of what stands at `resultPath`. */
      output: { text: string } | { preview: string };
      hint: OutputHint;
      chosen?: string[];
      warnings: string[];
    };

/** Looks up references, each by its text. */
export interface LookUpTask extends ApartScope {
  references: { text: string; root: 'output' | 'payload' | 'item' | 'index'; nodeId: string | null; path: string[] }[];
  /** Heavier values are refused. */
  maxWeight: number;
}

/** JSON text of an object by the texts of the references; those without a value are missing. */
export type LookUpAnswer = { text: string; size: ApartSize } | { failed: 'too_large' };
