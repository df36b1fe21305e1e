import type { ErrorEntries } from '../../entry.ts';

export const rehearsalErrors = {
  'rehearsal.missing': {
    code: 'not-found',
    message: 'There is no such rehearsal.',
    hint: 'Rehearsals are forgotten when Planchet ends. Start a new one.',
  },
  'rehearsal.another-runs': {
    code: 'conflict',
    message: 'The project “{name}” is being rehearsed.',
    hint: 'Wait until that rehearsal ends, or cancel it.',
  },
  'rehearsal.over': {
    code: 'conflict',
    message: 'This rehearsal has ended, so there is nothing to cancel.',
    hint: 'Look at its result.',
  },
  'rehearsal.not-complete': {
    code: 'conflict',
    message: 'This rehearsal did not mint every token, so its plan cannot be minted for real.',
    hint: 'Look at what failed, mend it, and rehearse again.',
  },
  'rehearsal.project-changed': {
    code: 'conflict',
    message: 'The drafts or the plan are not the ones that were rehearsed.',
    hint: 'Rehearse again, or mint the project as it is now.',
  },
  'rehearsal.not-here': {
    code: 'not-running',
    retryable: false,
    message: 'Nothing can be rehearsed within a rehearsal.',
    hint: 'Start the rehearsal from the application.',
  },
  'rehearsal.stopped': {
    code: 'cancelled',
    message: 'The rehearsal was cancelled.',
    hint: 'Start it again when you want to.',
  },
  'rehearsal.paused': {
    code: 'internal',
    message: 'The rehearsal stopped before every token was minted.',
    hint: 'Start it again; if it stops again, look at the log.',
  },
} as const satisfies ErrorEntries;
