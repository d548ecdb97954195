// Progress goes to stderr, so that commands whose stdout is their product (`npm run --silent openapi`) stay clean.

/** A problem that a person can act on: printed as one sentence, without a stack. */
export class UserError extends Error {}

const started = Date.now();
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

// A closed terminal must not turn the orderly stop into a crash.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (!['EPIPE', 'EIO'].includes(error.code)) throw error;
  });

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

export const sinceStart = () => seconds(started);

/**
 * Announces a slow step, says every few seconds that it still runs, and tells how long it took.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  say(`- ${title} ...`);
  const begun = Date.now();
  const ticker = setInterval(() => say(`  ${title}: ${seconds(begun)}`), 5000);
  ticker.unref();
  try {
    const result = await work();
    say(`  ${title}: done in ${seconds(begun)}`);
    return result;
  } finally {
    clearInterval(ticker);
  }
}
