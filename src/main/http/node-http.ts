/** Node's servers of HTTP. An `import` of that library reads Node's own HTTP client too: 4 MB of each thread, for what nobody uses. */
export const { createServer, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
