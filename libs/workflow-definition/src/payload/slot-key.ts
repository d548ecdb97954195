/** The field of a payload that tells a run of the time that it is for. */
export const SLOT_KEY = '_schedule';
