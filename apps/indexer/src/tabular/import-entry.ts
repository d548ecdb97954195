import { fileURLToPath } from 'node:url';

/** The compiled program of the importing process. Apart, because tests (CommonJS) cannot load `import.meta`. */
export const IMPORT_ENTRY = fileURLToPath(new URL('./child/main.js', import.meta.url));
