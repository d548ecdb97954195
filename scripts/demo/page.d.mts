/** A page over the table, by a workflow without a model. @returns an address that shows it, good for 5 minutes */
export function publishPage(
  client: { get<T>(path: string): Promise<T>; post<T>(path: string, body: unknown): Promise<T> },
  tableUid: string,
): Promise<string>;
