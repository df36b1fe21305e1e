import type { ErrorEntries } from '../../entry.ts';

export const projectMoveErrors = {
  'project-move.royalties-open': {
    code: 'invalid-input',
    message: 'These receivers of royalties have no address on the {network} network: {receivers}.',
    hint: 'Give each another one, or leave it out (--royalty OLD=NEW, or OLD= to leave it out). Nothing was copied.',
  },
  'project-move.same-network': {
    code: 'invalid-input',
    message: 'The project is on the {network} network already.',
    hint: 'Name another network: sandbox, private, test or main.',
  },
} as const satisfies ErrorEntries;
