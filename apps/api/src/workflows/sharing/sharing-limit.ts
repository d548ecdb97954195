import type { SlowLimit } from '../../http/slow-limiter.js';

/** Each one mails up to 50 people. */
export const SHARING: SlowLimit = { bucket: 'workflow-sharing', limit: 60, seconds: 3600 };
