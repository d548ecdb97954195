/**
 * At most `atOnce` look-ups at a time; one that has waited `waitMs` for its turn fails. The system's resolver takes
 * a thread of the process for each, and a name server of somebody hostile takes its time: without a limit the threads
 * for files and passwords would all wait for it.
 */
export function limitedLookups<T>(
  lookup: (hostname: string) => Promise<T>,
  atOnce: number,
  waitMs: number,
): (hostname: string) => Promise<T> {
  let busy = 0;
  const waiting: (() => void)[] = [];

  const enter = async (): Promise<void> => {
    if (busy < atOnce) {
      busy += 1;
      return;
    }
    await new Promise<void>((go, fail) => {
      const begin = () => {
        clearTimeout(timer);
        go();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        fail(new Error('Too many names are being looked up.'));
      }, waitMs);
      waiting.push(begin);
    });
  };

  return async (hostname) => {
    await enter();
    try {
      return await lookup(hostname);
    } finally {
      const next = waiting.shift();
      // The place goes from one to the next.
      if (next) next();
      else busy -= 1;
    }
  };
}
