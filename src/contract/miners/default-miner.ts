/** What the endpoint of the setting `mapiUrl`, or of the sandbox, is called. In a file without schemas, as the first script of the page has it. */
export const DEFAULT_MINER_NAME = 'Default';
