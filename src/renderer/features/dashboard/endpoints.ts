/** Addresses that other tools need, the most used first. */
export const endpointKeys = ['rpc', 'zmq', 'writer', 'console', 'baseUrl', 'mapi'] as const;
