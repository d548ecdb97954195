export function prettyLine(app: string, line: string, options?: { colours?: boolean }): string;
