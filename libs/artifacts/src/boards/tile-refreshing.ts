/** Charts of these are drawn of a query that can be run again. */
export const REFRESHED_SOURCES = ['file', 'postgres', 'mysql'] as const;

/** Not all at once: up to a tenth later. @param seconds SQL of the interval */
export const nextRefresh = (seconds: string): string =>
  `now() + make_interval(secs => ${seconds} * (1 + random() * 0.1))`;

/** SQL: when a tile is refreshed first; null when it never is. */
export const firstRefresh = (seconds: string): string =>
  `CASE WHEN ${seconds} IS NOT NULL THEN ${nextRefresh(seconds)} END`;
