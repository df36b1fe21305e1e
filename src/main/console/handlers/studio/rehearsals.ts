import { PlanchetError } from '../../../../contract/index.ts';
import type { RehearsalsPort } from '../../../ports/rehearsals.ts';
import type { ConsoleContext } from '../../context.ts';
import { os } from '../base.ts';

function rehearsalsOf(context: ConsoleContext): RehearsalsPort {
  if (context.rehearsals !== undefined) return context.rehearsals;
  throw new PlanchetError('rehearsal.not-here');
}

export const rehearsals = {
  start: os.rehearsals.start.handler(({ context, input }) => rehearsalsOf(context).begin(input)),
  get: os.rehearsals.get.handler(({ context, input }) => rehearsalsOf(context).get(input.id)),
  list: os.rehearsals.list.handler(({ context }) => rehearsalsOf(context).list()),
  items: os.rehearsals.items.handler(({ context, input }) => rehearsalsOf(context).items(input)),
  cancel: os.rehearsals.cancel.handler(({ context, input }) => rehearsalsOf(context).cancel(input.id)),
  mint: os.rehearsals.mint.handler(({ context, input }) => rehearsalsOf(context).mint(input)),
};
