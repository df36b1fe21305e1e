import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { type HttpRequest, sendRequest } from './http-request.ts';

it('an answer goes on where its pieces arrive at once when the connection is resumed', async () => {
  const PIECES = 20;
  let sent = 0;
  let ended = false;
  let handler: HttpRequest | undefined;
  const controller = {
    paused: false,
    pause: () => {
      controller.paused = true;
    },
    resume: () => {
      controller.paused = false;
      flow();
    },
  };
  const told = controller as unknown as Dispatcher.DispatchController;
  const flow = (): void => {
    while (!controller.paused && sent < PIECES) {
      sent += 1;
      handler?.onResponseData(told, Buffer.alloc(10));
    }
    if (controller.paused || ended) return;
    ended = true;
    handler?.onResponseEnd();
  };
  const dispatch = (made: HttpRequest): void => {
    handler = made;
    made.onResponseStart(told, 200, {});
    flow();
  };
  const options = { timeoutMs: 60_000, bounds: 'piece' as const, wholeBytes: 5, signal: undefined };
  const { bytes, rest } = await sendRequest({ ...options, dispatch });
  let length = bytes.length;
  if (rest !== undefined) for await (const piece of rest) length += piece.length;
  expect(length).toBe(PIECES * 10);
});
