export { isHeading, sentencesOf } from '../text/sentences.js';
