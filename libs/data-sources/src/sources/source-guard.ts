import { EgressGuard } from '@app/integrations';

/** Which hosts may be connected to: public ones, and those of `DATA_SOURCE_HOSTS`. */
export class SourceGuard extends EgressGuard {}
