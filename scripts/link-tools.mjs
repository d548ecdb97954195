// Runs after an install by hand (`npm ci`, `npm install`).
import { linkTools } from './lib/node-runtime.mjs';

linkTools();
