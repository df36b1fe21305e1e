/** Version of the node whose interface is served. Clients choose their requests and the form of answers by it. */
export const NODE_VERSION = 101_020_200;
export const SUBVERSION = '/Bitcoin SV:1.2.2/';
export const PROTOCOL_VERSION = 70_016;
