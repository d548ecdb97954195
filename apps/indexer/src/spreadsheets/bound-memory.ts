const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;

/**
 * The same WebAssembly module, whose memory cannot grow beyond so many pages of 64 KB.
 * @throws Error when the module declares no memory of its own
 */
export function boundMemory(module: Uint8Array, mostPages: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < module.length;) {
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    if (module[at] === MEMORY_SECTION) {
      // One memory: how many, whether it has a maximum, its pages at first.
      const first = readNumber(module, size.end + 2);
      const body = [1, 1, ...writeNumber(first.value), ...writeNumber(Math.max(first.value, mostPages))];
      const section = [MEMORY_SECTION, ...writeNumber(body.length), ...body];
      return new Uint8Array(Buffer.concat([module.subarray(0, at), Uint8Array.from(section), module.subarray(end)]));
    }
    at = end;
  }
  throw new Error('The module has no memory.');
}

/** LEB128. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * 2 ** shift;
    at += 1;
    if (byte < 0x80) return { value, end: at };
  }
}

function writeNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...writeNumber(Math.floor(value / 0x80))];
}
