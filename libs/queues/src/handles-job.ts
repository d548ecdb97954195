import type { JobDefinition } from '@app/contracts';
import { SetMetadata } from '@nestjs/common';

export const HANDLES_JOB = Symbol('HANDLES_JOB');

/** Marks the one method of this app that works on the job: `(payload) => Promise<void>`. It may be called twice for one payload. */
export const HandlesJob = <P>(job: JobDefinition<P>): MethodDecorator => SetMetadata(HANDLES_JOB, job);
