export const NODE_SWITCHES: readonly string[];
