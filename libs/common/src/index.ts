export { AutoResetEvent } from './auto-reset-event.js';
export * from './clock.js';
export * from './errors.js';
export * from './ids.js';
export { inBatches } from './in-batches.js';
export { type BatchRules, MicroBatcher } from './micro-batcher.js';
export { currencyDigits, formatMoney, isCurrency, parseMoney, shareOf } from './money/money.js';
export * from './pagination.js';
export * from './request-context.js';
export { explainFailedStart, StartupError } from './startup-error.js';
export { ANSWER_LANGUAGES, languageOf, nameOfLanguage, type AnswerLanguage } from './text/answer-language.js';
export { cutLine } from './text/cut-line.js';
export { cutText } from './text/cut-text.js';
export { cutMiddle } from './text/cut-middle.js';
export { findLostNumber, isEncodedUtf8, isFaithful, keepNumber, parseKeepingNumbers } from './text/faithful-json.js';
export { fold } from './text/fold.js';
export { headerText } from './text/header-text.js';
export { hasHiddenCharacters, isVisible, withoutHiddenCharacters } from './text/hidden-characters.js';
export { toJsonText } from './text/json-text.js';
export { monthNames, plainMonthName } from './text/month-names.js';
export { nameKey } from './text/name-key.js';
export { ONE_LINE, toOneLine } from './text/one-line.js';
export { type TimeFormat, timeFormatOf } from './text/time-format.js';
export { UNSPACED_SCRIPTS } from './text/unspaced-scripts.js';
export { PictureFilter, withoutForeignPictures } from './text/picture-filter.js';
export {
  isDictionary,
  type Parse,
  parseAny,
  parseBoolean,
  parseChoice,
  LocalTime,
  isWritableTime,
  parseDateTime,
  TIME_RANGE_MESSAGE,
  parseLocalOrZonedTime,
  parseEmail,
  parseInteger,
  parseNumber,
  parseObject,
  parseText,
  parseUuid,
  type Range,
  Refusal,
  refuseUnstorable,
  type TextRules,
  wireTypeName,
} from './values/parsing.js';
export { hashToken, newToken } from './token.js';
