/** Addresses worth handing to other tools, in the order people ask for them. */
export const endpointKeys = ['rpc', 'zmq', 'writer', 'console', 'baseUrl', 'mapi'] as const;
