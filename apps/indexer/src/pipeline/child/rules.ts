export { extractByRules } from '@app/extraction/kit';
