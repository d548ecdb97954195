import fs from 'node:fs';
import path from 'node:path';
import * as packages from './apt-packages.mjs';

export { cacheFolders } from './apt-packages.mjs';

const PROGRAM = 'usr/bin/redis-server';

/** @param {string} folder */
export const fetchedServer = (folder) => packages.fetchedServer(folder, 'redis', PROGRAM);

/**
 * Fetches Debian's or Ubuntu's Redis.
 * @param {string[]} folders
 */
export const fetchFromApt = (folders) =>
  packages.fetchFromApt(folders, {
    name: 'redis',
    title: 'Redis',
    packageName: 'redis-tools',
    // It holds the server's binary under the name of its checking tool.
    finish: (root) => fs.symlinkSync('redis-check-rdb', path.join(root, PROGRAM)),
  });
