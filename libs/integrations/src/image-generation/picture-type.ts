/** By its first bytes; null for what is no picture that browsers show. */
export function pictureType(data: Uint8Array): 'image/png' | 'image/jpeg' | 'image/webp' | null {
  const begin = Buffer.from(data.subarray(0, 12)).toString('latin1');
  if (begin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begin.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return begin.startsWith('RIFF') && begin.slice(8) === 'WEBP' ? 'image/webp' : null;
}
