// Large corpora for measuring: real sentences put together anew, and vectors in clusters, as encoders give them.
import { seededRandom } from './figures.mjs';

const TABLE = 1 << 20;

/** Normally distributed numbers, drawn once and then read from different places: drawing 256 million takes minutes. */
function noiseTable(random) {
  const table = new Float32Array(TABLE);
  for (let at = 0; at < TABLE; at++)
    table[at] = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return table;
}

function normalise(vector) {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] /= length;
  return vector;
}

/** Unit vectors around `clusters` centres; a question lies near one of the passages. */
export class ClusteredVectors {
  #random = seededRandom(7);
  #noise = noiseTable(this.#random);
  #centres;

  constructor({ dimensions = 512, clusters = 1000, spread = 0.7 } = {}) {
    Object.assign(this, { dimensions, spread });
    this.#centres = Array.from({ length: clusters }, () => normalise(this.#gaussian()));
  }

  #gaussian() {
    const start = Math.floor(this.#random() * TABLE);
    const step = 2 * Math.floor(this.#random() * 1000) + 1;
    return Float32Array.from({ length: this.dimensions }, (_, at) => this.#noise[(start + at * step) & (TABLE - 1)]);
  }

  near(vector, spread) {
    const noise = normalise(this.#gaussian());
    return normalise(noise.map((value, at) => value * spread + vector[at]));
  }

  passage() {
    return this.near(this.#centres[Math.floor(this.#random() * this.#centres.length)], this.spread);
  }

  question(passage) {
    return this.near(passage, 0.5);
  }
}

/** The best `depth` of everything that is shown to it, by angle. */
export class ExactNeighbours {
  #best = [];

  constructor(question, depth = 10) {
    Object.assign(this, { question, depth });
  }

  look(id, vector) {
    let cosine = 0;
    for (let at = 0; at < vector.length; at++) cosine += vector[at] * this.question[at];
    if (this.#best.length === this.depth && cosine <= this.#best.at(-1).cosine) return;
    this.#best.push({ id, cosine });
    this.#best.sort((a, b) => b.cosine - a.cosine);
    this.#best.length = Math.min(this.#best.length, this.depth);
  }

  get ids() {
    return this.#best.map(({ id }) => id);
  }
}

/**
 * Passages of some 150 words: half of an abstract, half sentences from anywhere in the collection, and three words of a
 * tail of names and numbers, since a vocabulary goes on growing with its corpus.
 */
export function passageWriter(documents) {
  const random = seededRandom(11);
  const abstracts = documents
    .map(({ text }) => text.split(/(?<=\.)\s+/).filter((sentence) => sentence.length > 20))
    .filter((sentences) => sentences.length > 2);
  const any = (list) => list[Math.floor(random() * list.length)];
  const name = () => `q${Math.floor(400_000 * random() ** 2).toString(36)}`;
  return () => {
    const own = any(abstracts);
    const sentences = own.filter(() => random() < 0.5);
    while (sentences.join(' ').length < 900) sentences.push(any(any(abstracts)));
    return `${sentences.join(' ')} ${name()} ${name()} ${name()}.`;
  };
}
