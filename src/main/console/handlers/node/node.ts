import { os } from '../base.ts';

export const node = {
  call: os.node.call.handler(({ context, input, signal }) => context.node.call(input.method, input.params, signal)),
  block: os.node.block.handler(({ context, input, signal }) => context.node.block(input, signal)),
};
