/** What names a written file from now on. */
export function writtenMediaPath(id: string, name: string): string {
  return `/media/written/${id}/${encodeURIComponent(name)}`;
}
