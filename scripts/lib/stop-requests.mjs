import { say } from './log.mjs';

/** Under `npm start` our life is tied to npm's: killing npm is meant for us. */
export const launchedByNpm = () => Boolean(process.env.npm_lifecycle_event);

/** A terminal's Ctrl-C reaches us twice, from the terminal and passed on by npm. */
const SAME_REQUEST_MS = 1000;

/**
 * Calls `stop` once for the first SIGINT, SIGTERM or SIGHUP, or when the npm that launched us was killed; a later
 * signal calls `force`.
 * @param {{ stop: (reason: string) => void, force: () => void }} reactions
 */
export function onStopRequest({ stop, force }) {
  let firstAt = 0;
  const request = (reason) => {
    if (!firstAt) {
      firstAt = Date.now();
      stop(reason);
    } else if (Date.now() - firstAt > SAME_REQUEST_MS) {
      say('Stopping at once.');
      force();
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => request(name));
  if (!launchedByNpm()) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    request('npm is gone');
  }, 300);
  watch.unref();
}
