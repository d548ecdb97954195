/** `request.fresh` gives up on clients that say `Cache-Control: no-cache`, as fetch does when it is given a tag. */
export function isKnownTag(etag: string, ifNoneMatch: string | undefined): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
