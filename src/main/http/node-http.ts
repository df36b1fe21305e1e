/** Node's servers of HTTP. An `import` of that library reads Node's own HTTP client as well, which is 4 MB in each thread. */
export const { createServer, validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
