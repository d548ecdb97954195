/** SQL over a run that has not ended, in the words of the index of those: few, however many there were. */
export const IS_LIVE = `status IN ('started', 'queued', 'running', 'waiting_for_approval', 'stopping')`;
