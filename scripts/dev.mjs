import { APPS } from './lib/apps.mjs';
import { appsToRestart, BuiltOutput, readDependencies } from './lib/built-output.mjs';
import { watchCompiler } from './lib/compiler.mjs';
import { say } from './lib/log.mjs';
import { ROOT } from './lib/paths.mjs';
import { start } from './start.mjs';

/** Where the first app's inspector listens; those of the others follow. */
const FIRST_INSPECTOR = Number(process.env.INSPECT_PORT) || 9229;

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Compiles what is changed, and starts the apps anew that run something of it. @returns {() => void} ends it */
function followSources(platform) {
  const output = new BuiltOutput(ROOT);
  const wanted = new Set();
  let isAtWork = false;
  const restart = async () => {
    if (isAtWork) return;
    isAtWork = true;
    while (wanted.size > 0) {
      const names = [...wanted];
      wanted.clear();
      const since = performance.now();
      await platform.restartApps(names);
      say(`- ${names.join(', ')}: started anew in ${seconds(since)}`);
    }
    isAtWork = false;
  };
  return watchCompiler({
    onDone: (errors) => {
      if (errors > 0) return say(`! ${errors} errors: the apps go on as they are.`);
      for (const app of appsToRestart(output.changes(), APPS, readDependencies(ROOT))) wanted.add(app);
      void restart();
    },
    onLine: say,
    onEnd: () => say('! The compiler ended: what is changed from now on is not compiled.'),
  });
}

/** `npm run dev`: `npm start` with inspectors, logs for people, and apps that follow their sources. */
export async function dev() {
  await start({
    development: { inspectAt: (index) => FIRST_INSPECTOR + index },
    ready: (platform) => {
      say(
        `  Inspectors     ${APPS.map((name, index) => `${name} 127.0.0.1:${FIRST_INSPECTOR + index}`).join(', ')}\n  Sources        followed; the first look takes a while\n`,
      );
      return followSources(platform);
    },
  });
}
