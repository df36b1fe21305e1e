import type { StandardHandleResult } from '@orpc/server/standard';

/**
 * Buffers a reply that is a multipart form before it is sent. Node writes a form into its stream as fast as the files can be read and gives
 * no way to catch an error there: if the client disconnects, the error ends the process. Buffering uses no more memory than Node would.
 */
export async function bufferForms({ next }: { next: () => Promise<StandardHandleResult> }) {
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
