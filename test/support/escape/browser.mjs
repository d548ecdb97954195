// The browser of the escape suite, driven from a process of its own: pages that do away with their frames have playwright-core
// throw where nobody can catch it, which Jest takes for a failure of whatever test is running. Forked by `escape-browser.ts`.
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const SLOW = { waitUntil: 'commit', timeout: 120_000 };
const FRAMES_WITHIN_MS = 30_000;
const READ_WITHIN_MS = 5000;
let browser;

/** An event of a frame that is gone by the time it is looked up: nothing is missing after it. */
function isOfDetachedFrame({ message, stack = '' }) {
  return message === 'Frame has been detached.' && /\b_sessionForFrame\b.*playwright-core/.test(stack);
}

process.on('uncaughtException', (error) => {
  if (isOfDetachedFrame(error)) return;
  process.stderr.write(`The browser of the escape suite: ${error.stack}\n`);
  process.exit(1);
});
process.on('disconnect', () => process.exit());

/** Those that run pages, whatever the pages have made of them. */
const innerFrames = (page) => page.frames().filter((frame) => frame.parentFrame()?.url().includes('/assets/holder/'));

async function waitForFrames(pages, wanted, crashed) {
  const end = performance.now() + FRAMES_WITHIN_MS;
  // A probe may have done away with its own frame.
  while (pages.flatMap(innerFrames).length < wanted && crashed.size === 0 && performance.now() < end) await sleep(20);
  return pages.flatMap(innerFrames).length;
}

async function readOf(page) {
  const all = await Promise.all(
    page
      .frames()
      .map((frame) =>
        Promise.race([frame.evaluate('window.read ?? []').catch(() => []), sleep(READ_WITHIN_MS).then(() => [])]),
      ),
  );
  return all.flat();
}

const does = {
  async launch({ executablePath, args }) {
    browser = await chromium.launch({ executablePath, headless: true, args });
  },

  /** @returns what came of pages that were opened together */
  async open({ urls, wanted, settledMs }) {
    const context = await browser.newContext();
    // Also where the process of a frame alone has ended; nothing can be read of the others then.
    const crashed = new Set();
    const opened = await Promise.all(
      urls.map(async (url) => {
        const page = await context.newPage();
        page.on('dialog', (dialog) => void dialog.dismiss()).on('crash', () => crashed.add(page));
        await page.goto(url, SLOW);
        return page;
      }),
    );
    const frames = await waitForFrames(opened, wanted, crashed);
    await sleep(settledMs);
    const read = (await Promise.all(opened.map(readOf))).flat();
    const outcome = {
      read,
      moved: opened.map((page) => page.url()).filter((url, place) => url !== urls[place]),
      windows: context.pages().length - opened.length,
      frames,
      crashed: crashed.size,
    };
    await context.close();
    return outcome;
  },

  /** Stays open. */
  async run({ url, script }) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url, SLOW);
    await page.evaluate(script);
  },

  async close() {
    await browser?.close();
  },
};

process.on('message', async ({ call, ...given }) => {
  try {
    process.send({ value: (await does[call](given)) ?? null });
  } catch (error) {
    process.send({ failure: error.stack });
  }
});
