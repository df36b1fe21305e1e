export * from '../../../node-format/json.ts';
