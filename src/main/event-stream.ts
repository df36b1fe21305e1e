import { OutOfBounds } from './foreign-json.ts';

/** Of a line of a stream, and of the data of one event: a status with its Merkle path has some kilobytes. */
const LONGEST_LINE = 65_536;
const LONGEST_DATA = 262_144;

/** An event of a stream (server-sent events, HTML standard 9.2). */
export interface StreamEvent {
  /** The last id that the stream named; empty before the first. */
  readonly id: string;
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads a foreign stream of server-sent events piece by piece.
 * @param heard called with every piece, also for a keep-alive that is no event
 * @throws OutOfBounds, and what the body throws
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncGenerator<StreamEvent> {
  let [id, event, data] = ['', '', ''];
  for await (const line of linesOf(body, heard)) {
    if (line === '') {
      if (data !== '') yield { id, event: event || 'message', data: data.slice(0, -1) };
      [event, data] = ['', ''];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data += `${value}\n`;
    if (data.length > LONGEST_DATA) throw new OutOfBounds('bytes');
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    heard();
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE || lines.some((line) => line.length > LONGEST_LINE)) throw new OutOfBounds('bytes');
    yield* lines;
  }
}
