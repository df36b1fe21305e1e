import { PlanchetError } from '../../../contract/index.ts';
import type { ConsoleContext, WriterPort } from '../context.ts';
import { os } from './base.ts';

export const writer = {
  status: os.writer.status.handler(async ({ context }) => (await required(context)).status()),
  documents: {
    list: os.writer.documents.list.handler(async ({ context, input }) => (await required(context)).list(input)),
    get: os.writer.documents.get.handler(async ({ context, input }) => (await required(context)).get(input.id)),
  },
  dead: {
    list: os.writer.dead.list.handler(async ({ context, input }) =>
      (await required(context)).list({ ...input, state: 'dead' }),
    ),
    retry: os.writer.dead.retry.handler(async ({ context, input }) => (await required(context)).retryDead(input.ids)),
  },
  keys: {
    list: os.writer.keys.list.handler(async ({ context }) => (await required(context)).keys()),
    register: os.writer.keys.register.handler(async ({ context, input }) =>
      (await required(context)).register(input.apiKey),
    ),
    revoke: os.writer.keys.revoke.handler(async ({ context, input }) => (await required(context)).revoke(input.keyId)),
  },
  usage: os.writer.usage.handler(async ({ context }) => (await required(context)).usage()),
  write: os.writer.write.handler(async ({ context, input }) => (await required(context)).write(input)),
};

async function required({ writer: port }: ConsoleContext): Promise<WriterPort> {
  if (port !== undefined) return port();
  throw new PlanchetError('console.writer-missing');
}
