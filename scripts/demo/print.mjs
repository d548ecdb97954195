export const say = (text) => process.stdout.write(`${text}\n`);
export const heading = (text) => say(`\n== ${text}`);
/** Without a line break, for answers that stream in. */
export const write = (text) => process.stdout.write(text);
export const shorten = (text, length = 100) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
