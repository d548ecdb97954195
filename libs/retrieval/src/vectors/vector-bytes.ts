/** 32-bit floats in the machine's byte order, which is little endian wherever Node runs today. */
export function vectorBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** The cosines of a question and of vectors as bytes, for vectors of unit length; all of the question's length. */
export function cosines(question: Float32Array, vectors: readonly Uint8Array[]): number[] {
  // A small Buffer is a window into Node's shared pool, at any offset: copied, or it may not be aligned.
  const copy = new Float32Array(question.length);
  const copied = new Uint8Array(copy.buffer);
  return vectors.map((bytes) => {
    copied.set(bytes);
    let sum = 0;
    for (let i = 0; i < copy.length; i++) sum += copy[i]! * question[i]!;
    return sum;
  });
}
