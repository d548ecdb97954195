export const MEMORY_KINDS = ['preference', 'instruction', 'fact', 'project', 'person'] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** Characters of one memory. */
export const MAX_MEMORY_LENGTH = 500;
