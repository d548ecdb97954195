/** With it begins the text of a statement that is sent so often that its connection shall keep it, read and planned. */
const MARK = '/* kept */';

/** What `DEALLOCATE` or a release that changes a function leaves behind: the statement is not there, or answers otherwise. */
const OUTLIVED = new Set(['26000', '0A000']);

/**
 * The names under which one connection keeps its statements (`Parse` with a name,
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY).
 */
export class KeptStatements {
  private readonly names = new Map<string, string>();
  private made = 0;

  /** Null: it is not to be kept. @param query as it is given to the driver */
  nameOf(query: unknown): string | null {
    if (typeof query !== 'string' || !query.startsWith(MARK)) return null;
    const known = this.names.get(query);
    if (known !== undefined) return known;
    this.made += 1;
    const name = `kept ${this.made}`;
    this.names.set(query, name);
    return name;
  }

  /** Has the statement read anew the next time, where the failure says that the one which is kept is of no use. */
  noteFailure(query: unknown, error: unknown): void {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    // One that could not be read (class 42) is not kept, though the driver believes so.
    if (typeof query === 'string' && (OUTLIVED.has(code) || /^42\w{3}$/.test(code))) this.names.delete(query);
  }
}
