import { PlanchetError } from '../../../../contract/index.ts';
import { jsonOf } from '../../../foreign-json.ts';
import { NodeRpcError } from '../../../ports/node.ts';
import { membersOf, placesOf } from '../../messages/json-text.ts';
import { rpcCodes } from '../../messages/message.ts';
import { answeredAnother, notJsonRpc } from '../errors.ts';
import type { Asked } from '../http-request.ts';
import { reportedBy } from './parse-result.ts';

/** A parsed and checked answer of an upstream. With `age`, in seconds, it is an old answer of an upstream that is behind. */
export type UpstreamAnswer =
  | {
      readonly kind: 'result';
      readonly before: string;
      readonly after: string;
      readonly result: unknown;
      /** The text is known to be all ASCII. */
      readonly ascii?: boolean;
      readonly age?: number;
    }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly age?: number }
  /** A success that is still being received. A failure from here on can only be reported by closing the client's connection. */
  | {
      readonly kind: 'flowing';
      readonly pieces: (idText: string) => AsyncGenerator<Uint8Array>;
      readonly age?: number;
      discard(): void;
    };

/**
 * @param mark the id that the gateway sent. It cannot occur in an answer by chance, so it can be replaced while the answer is streamed.
 * @throws PlanchetError `upstream-error` if it is not a node's answer; NodeRpcError if the node is still starting. In both cases another
 *   upstream may answer.
 */
export function readUpstream(answer: Asked, mark: string): UpstreamAnswer {
  const { origin, status, bytes, rest } = answer;
  if (rest === undefined) {
    const text = bytes.toString('utf8');
    return readWhole(text, answer, mark, text.length === bytes.length);
  }
  if (status === 200 && bytes.toString('latin1', 0, 64).trimStart()[0] === '{') {
    return {
      kind: 'flowing',
      pieces: (idText) => restamp(bytes, rest, mark, idText),
      discard: () => void rest.return?.(),
    };
  }
  void rest.return?.();
  throw notJsonRpc(origin, status);
}

/** Reads an answer that has arrived as a whole. @param ascii whether the text is all ASCII @throws as {@link readUpstream} */
function readWhole(text: string, from: Pick<Asked, 'origin' | 'status'>, mark: string, ascii: boolean): UpstreamAnswer {
  const usual = readUsual(text, mark, ascii);
  if (usual !== undefined) return usual;
  if (!isObject(text)) throw notJsonRpc(from.origin, from.status);
  const members = membersOf(text);
  const error = members.get('error') ?? 'null';
  if (error !== 'null') return readError(JSON.parse(error), from);
  const result = members.get('result');
  if (result === undefined) throw notJsonRpc(from.origin, from.status);
  const id = placesOf(text).get('id');
  if (id === undefined || members.get('id') !== mark) throw answeredAnother(from.origin);
  const before = text.slice(0, id.start);
  return { kind: 'result', before, after: text.slice(id.end), result: JSON.parse(result), ascii };
}

const USUAL_HEAD = '{"result":';
/** What a node writes after the result: in a whole answer, after a streamed object, and after streamed hex or a streamed transaction. */
const USUAL_TAILS = [',"error":null,"id":', ',"error": null,"id": ', ', "error": null, "id": '] as const;

/** Reads the forms that a node writes. Only the result has to be parsed there. */
function readUsual(text: string, mark: string, ascii: boolean): UpstreamAnswer | undefined {
  if (!text.startsWith(USUAL_HEAD)) return undefined;
  const end = text.endsWith('}\n') ? text.length - 2 : text.length - 1;
  const idAt = end - mark.length;
  if (!text.startsWith('}', end) || !text.startsWith(mark, idAt)) return undefined;
  const tail = USUAL_TAILS.find((known) => text.endsWith(known, idAt));
  if (tail === undefined) return undefined;
  const result = jsonOf(text.slice(USUAL_HEAD.length, idAt - tail.length));
  if (result === undefined) return undefined;
  return { kind: 'result', before: text.slice(0, idAt), after: text.slice(end), result, ascii };
}

function readError(error: unknown, { origin, status }: Pick<Asked, 'origin' | 'status'>): UpstreamAnswer {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (Number.isSafeInteger(code) && typeof message === 'string') {
    if (code === rpcCodes.warmUp) throw new NodeRpcError(code, message);
    return { kind: 'error', code: code as number, message };
  }
  throw notJsonRpc(origin, status, reportedBy(error));
}

function isObject(text: string): boolean {
  return text.trimStart()[0] === '{' && jsonOf(text) !== undefined;
}

/** Replaces the mark by the client's id while the answer is streamed. It holds back no more bytes than the mark has. */
async function* restamp(
  head: Buffer,
  rest: AsyncIterator<Uint8Array>,
  mark: string,
  idText: string,
): AsyncGenerator<Uint8Array> {
  const pattern = Buffer.from(mark);
  const id = Buffer.from(idText);
  let held = head;
  let found = false;
  let last = 0;
  try {
    for (;;) {
      if (!found) {
        const at = held.indexOf(pattern);
        if (at >= 0) {
          held = Buffer.concat([held.subarray(0, at), id, held.subarray(at + pattern.length)]);
          found = true;
        }
      }
      const keep = found ? 0 : Math.min(held.length, pattern.length - 1);
      const ready = held.subarray(0, held.length - keep);
      last = lastInk(ready) ?? last;
      if (ready.length > 0) yield ready;
      const { done, value } = await rest.next();
      if (done) {
        const tail = held.subarray(held.length - keep);
        if ((lastInk(tail) ?? last) !== 0x7d) throw new PlanchetError('upstream.answer-cut-off');
        if (tail.length > 0) yield tail;
        return;
      }
      const piece = Buffer.from(value.buffer, value.byteOffset, value.length);
      held = keep === 0 ? piece : Buffer.concat([held.subarray(held.length - keep), piece]);
    }
  } finally {
    await rest.return?.();
  }
}

/** The last byte that is not white space; undefined if there is none. */
function lastInk(bytes: Buffer): number | undefined {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at] as number;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
  }
  return undefined;
}
