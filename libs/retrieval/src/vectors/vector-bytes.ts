/** 32-bit floats in the machine's byte order, which is little endian wherever Node runs today. */
export function vectorBytes(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}

export function toVector(bytes: Buffer): Float32Array {
  // A small Buffer is a window into Node's shared pool, at any offset: copy, or it may not be aligned.
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** The cosine, for vectors of unit length. */
export function dot(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += left[i]! * right[i]!;
  return sum;
}
