import { SetMetadata } from '@nestjs/common';
import type { WorkDefinition } from './define-work.js';
import type { Work } from './work-performer.js';

export const PERFORMS = Symbol('PERFORMS');

/** Marks the one method of this app that does the work, see `Work`. */
export const Performs =
  <Row extends object>(definition: WorkDefinition<Row>) =>
  <M extends Work<Row>>(target: object, name: string | symbol, method: TypedPropertyDescriptor<M>): void =>
    void SetMetadata(PERFORMS, definition)(target, name, method as TypedPropertyDescriptor<unknown>);
