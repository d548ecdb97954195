/** Charts of these are drawn of a query that can be run again. */
export const REFRESHED_SOURCE = 'file';

/** SQL: how long ago somebody has to have looked at a board for its tiles to be refreshed. */
export const LOOKED_AT_WITHIN = `interval '1 day'`;

/** SQL: the time after so many seconds, up to a tenth later: not all at once. @param seconds SQL, perhaps null */
export const nextRefresh = (seconds: string): string =>
  `now() + make_interval(secs => ${seconds} * (1 + random() * 0.1))`;
