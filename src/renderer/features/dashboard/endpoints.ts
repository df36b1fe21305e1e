/** Addresses for other tools, the most used first. */
export const endpointKeys = ['rpc', 'zmq', 'writer', 'console', 'baseUrl', 'mapi'] as const;
