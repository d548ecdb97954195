/** The token of the ports that tools of this process get. */
export const TOOL_PORTS = Symbol('TOOL_PORTS');
