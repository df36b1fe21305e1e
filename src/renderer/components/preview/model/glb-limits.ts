/** `glTF`, as a little-endian number. */
const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const HEADER_BYTES = 20;
/** Bytes of the JSON chunk. A scene of 20,000 nodes has some 2 MB. */
const MAX_DESCRIPTION_BYTES = 4_194_304;
const MAX_NODES = 20_000;
/** Numbers in all accessors together: 24 million are 96 MB. */
const MAX_NUMBERS = 24_000_000;
const MAX_IMAGES = 100;

const COMPONENTS: ReadonlyMap<unknown, number> = new Map(
  Object.entries({ SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 }),
);
const MOST_COMPONENTS = 16;

interface Description {
  accessors?: { count?: unknown; type?: unknown }[];
  buffers?: { uri?: unknown }[];
  images?: { uri?: unknown }[];
  meshes?: { primitives?: unknown[] }[];
  nodes?: { children?: unknown[] }[];
}

/** Why a model is not drawn: it is not a model, it needs other files, or it is too large for a page. */
export type ModelFault = 'malformed' | 'incomplete' | 'too-large';

/**
 * Checks the JSON of a binary glTF file (Khronos glTF 2.0, section 4.4) before it is drawn, since its author may want to overload the
 * machine. A node may have only one parent (3.5.2): otherwise a few bytes could stand for very many nodes.
 */
export function modelFault(bytes: Uint8Array<ArrayBuffer>): ModelFault | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 2)
    return 'malformed';
  const length = view.getUint32(12, true);
  if (view.getUint32(16, true) !== JSON_CHUNK || HEADER_BYTES + length > bytes.length) return 'malformed';
  if (length > MAX_DESCRIPTION_BYTES) return 'too-large';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(HEADER_BYTES, HEADER_BYTES + length));
    return faultOf(JSON.parse(text) as Description);
  } catch {
    return 'malformed';
  }
}

function faultOf(model: Description): ModelFault | undefined {
  const { accessors = [], buffers = [], images = [], meshes = [], nodes = [] } = model;
  if (buffers.some(({ uri }) => uri !== undefined)) return 'incomplete';
  if (images.some(({ uri }) => uri !== undefined && !String(uri).startsWith('data:image/'))) return 'incomplete';
  const children = nodes.flatMap((node) => node.children ?? []);
  if (new Set(children).size !== children.length) return 'malformed';
  const primitives = meshes.reduce((sum, mesh) => sum + (mesh.primitives ?? []).length, 0);
  const numbers = accessors.reduce(
    (sum, { count, type }) => sum + Number(count) * (COMPONENTS.get(type) ?? MOST_COMPONENTS),
    0,
  );
  const isLarge = nodes.length > MAX_NODES || primitives > MAX_NODES || images.length > MAX_IMAGES;
  return isLarge || !(numbers <= MAX_NUMBERS) ? 'too-large' : undefined;
}
