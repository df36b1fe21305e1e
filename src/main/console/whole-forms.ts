import type { StandardHandleResult } from '@orpc/server/standard';

/**
 * Answers with files are forms, and Node writes a form into its stream from outside of anybody's reach, as fast as the files can be read:
 * where a reader left meanwhile and the stream was ended, the error ends the process. So a form is read to its end before the answer begins,
 * which holds no more in memory than Node would.
 */
export async function readFormsWhole({ next }: { next: () => Promise<StandardHandleResult> }) {
  const result = await next();
  if (!result.matched || !(result.response.body instanceof FormData)) return result;
  const form = new Response(result.response.body);
  const bytes = new Uint8Array(await form.arrayBuffer());
  const { headers } = result.response;
  return {
    ...result,
    response: {
      ...result.response,
      headers: {
        ...headers,
        'content-type': form.headers.get('content-type') ?? '',
        'content-length': String(bytes.length),
      },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(bytes);
          controller.close();
        },
      }),
    },
  };
}
