import { isUtf8 } from 'node:buffer';

/** Whether what comes in pieces is UTF-8, whose characters may lie on the border of two pieces. */
export class Utf8Check {
  private rest = Buffer.alloc(0);
  private valid = true;

  /** @returns false from the first piece on that is none */
  add(chunk: Buffer): boolean {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const end = lastWholeCharacter(bytes);
    this.rest = Buffer.from(bytes.subarray(end));
    this.valid &&= isUtf8(bytes.subarray(0, end));
    return this.valid;
  }

  /** Whether all was, and no character is cut off at the end. */
  finish(): boolean {
    return this.valid && this.rest.length === 0;
  }
}

/** Where the last character begins, if its bytes are not all there; the length if they are. */
function lastWholeCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return size > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
