/** A signed byte per dimension: a quarter of the floats, and no difference to the order of cosines that matters here. */
export function toVectorBytes(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0) || 1;
  return Buffer.from(Int8Array.from(vector, (each) => Math.round((each / largest) * 127)).buffer);
}

/** Null for vectors of different lengths, and of nothing. */
export function cosineOf(question: Float32Array, bytes: Buffer): number | null {
  if (bytes.length !== question.length) return null;
  let [dot, squares, asked] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const each = bytes.readInt8(at);
    const other = question[at]!;
    dot += each * other;
    squares += each * each;
    asked += other * other;
  }
  return squares === 0 || asked === 0 ? null : dot / Math.sqrt(squares * asked);
}
