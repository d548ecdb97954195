const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const MOST = 2_000;

/** Whatever has the form of a document's uid. */
export function uidsIn(...texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts)
    for (const [uid] of text.matchAll(UUID)) {
      found.add(uid.toLowerCase());
      if (found.size >= MOST) return [...found];
    }
  return [...found];
}
