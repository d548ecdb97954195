import type { AppConfig } from '@app/config';

/** DI token of which extractor this deployment has. */
export const EXTRACTOR = Symbol('extractor');
export type ExtractorKind = AppConfig['extractor']['kind'];
