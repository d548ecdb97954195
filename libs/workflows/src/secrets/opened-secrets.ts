/** The values of secrets, on their way into a node. */
export interface OpenedSecrets {
  readonly values: ReadonlyMap<string, string>;
  /** Where they may be sent, each as `host` or `host:port`: what all that name hosts agree on. Null for anywhere. */
  readonly hosts: ReadonlySet<string> | null;
}

/** What both lists allow; null stands for everything. */
export function commonHosts(lists: readonly (readonly string[] | null)[]): ReadonlySet<string> | null {
  let common: ReadonlySet<string> | null = null;
  for (const list of lists)
    if (list !== null) common = new Set(list.filter((host) => common === null || common.has(host)));
  return common;
}
