/** A file that no honest program wrote. Made when it is asked for: some are large. */
export interface HostileFile {
  name: string;
  bytes: () => Buffer;
}

export const hostile = (name: string, bytes: () => Buffer | string): HostileFile => ({
  name,
  bytes: () => Buffer.from(bytes() as Buffer),
});

/** The same bytes on every run (xorshift). */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed * 2_654_435_761 || 1;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state & 0xff;
  }
  return bytes;
}
