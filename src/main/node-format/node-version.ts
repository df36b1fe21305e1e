/** The node whose interface is served: programs choose by these what they send and how they read an answer. */
export const NODE_VERSION = 101_020_200;
export const SUBVERSION = '/Bitcoin SV:1.2.2/';
export const PROTOCOL_VERSION = 70_016;
