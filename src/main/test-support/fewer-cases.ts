import fc from 'fast-check';

/** Cases of a property that names no number of its own; a hundred in the long run. */
const CASES = 20;

fc.configureGlobal({ numRuns: CASES });
