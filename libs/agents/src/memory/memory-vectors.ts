/** A signed byte per dimension: a quarter of the floats, and no difference to the order of cosines that matters here. */
export function toVectorBytes(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (each) => Math.round((each / largest) * 127)).buffer);
}

/** Null for vectors of different lengths, and of nothing. */
export function cosineOf(question: Float32Array, bytes: Buffer): number | null {
  if (bytes.length !== question.length) return null;
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let [dot, squares, asked] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const each = signed[at]!;
    const other = question[at]!;
    dot += each * other;
    squares += each * each;
    asked += other * other;
  }
  return squares === 0 || asked === 0 ? null : dot / Math.sqrt(squares * asked);
}

/** 1 where the component is positive, as the literal of a bit string. */
export function signsOf(vector: Float32Array): string {
  return Array.from(vector, (each) => (each > 0 ? '1' : '0')).join('');
}

/** @param share of the components whose signs differ */
export function cosineBySigns(share: number): number {
  return Math.cos(Math.PI * share);
}
