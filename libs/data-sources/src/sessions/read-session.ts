import type { BoundStatement } from '../statements/bind-placeholders.js';
import type { ResultBounds } from './result-collector.js';
import type { SourceResult, SourceStatement } from '../shapes/result-shapes.js';

/** A connection to somebody's database that only reads; statements run one after the other. */
export abstract class ReadSession {
  /** Whether a further statement may be tried. */
  abstract readonly isOpen: boolean;

  /** @throws SourceFailure; the signal's reason */
  abstract select(statement: SourceStatement): Promise<SourceResult>;

  /** For statements of ours: not looked at before. @throws SourceFailure; the signal's reason */
  abstract read(statement: BoundStatement, bounds?: ResultBounds): Promise<SourceResult>;

  abstract end(): Promise<void>;
}
