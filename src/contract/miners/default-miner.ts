/** Name of the endpoint of the setting `mapiUrl`, or of the sandbox. In a file without schemas, since it is part of the page's first script. */
export const DEFAULT_MINER_NAME = 'Default';
