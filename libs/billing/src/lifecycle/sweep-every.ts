/** Seconds between two looks for what nobody asks for. */
export const SWEEP_EVERY = Symbol('SWEEP_EVERY');
