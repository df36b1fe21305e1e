/**
 * A client of the sandbox's token project API in a process of its own. It reads one line, where to; then for each further line, a number,
 * hands in that many files, eight at a time, and answers with how long it took.
 */
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';

interface Task {
  readonly url: string;
  readonly apiKey: string;
  /** What a file is handed in as, all but `b64File`. */
  readonly body: Record<string, unknown>;
  readonly bytes: number;
}

const IN_FLIGHT = 8;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task = JSON.parse((await lines.next()).value as string) as Task;
const dispatcher = new Agent({ connections: IN_FLIGHT });
process.stdout.write('"ready"\n');

for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  let left = Number(line);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (left-- > 0) {
        const { statusCode, body } = await request(task.url, {
          method: 'POST',
          dispatcher,
          headers: { apikey: task.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ ...task.body, b64File: randomBytes(task.bytes).toString('base64') }),
        });
        const answer = await body.text();
        if (statusCode !== 200) throw new Error(answer);
      }
    }),
  );
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - started })}\n`);
}
await dispatcher.close();
